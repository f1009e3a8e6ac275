"""`pytest-rogue gc`: show, and on demand remove, what desktops left behind whose process is dead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse


def add_gc_command(commands: Any) -> None:
    """Declare the command.

    Args:
        commands: argparse's group of commands.
    """
    gc = commands.add_parser("gc", help="show what desktops left behind whose process is dead")
    gc.add_argument("--remove", action="store_true", help="remove it")
    gc.add_argument("--run", dest="run_id", metavar="ID", help="only what was made for this run")
    gc.set_defaults(run=_gc)


def _gc(chosen: argparse.Namespace) -> int:
    from pytest_rogue.desktops.docker import DockerProvider
    from pytest_rogue.desktops.reaper import remove_leftovers

    provider = DockerProvider()
    try:
        left = remove_leftovers([provider], chosen.run_id, dry_run=not chosen.remove)
    finally:
        provider.engine.close()
    for leftover in left:
        print(f"{'removed' if chosen.remove else 'left'}: {leftover}")
    if not left:
        print("nothing is left behind")
    elif not chosen.remove:
        print("pytest-rogue gc --remove removes it")
    return 0
