"""`pytest-rogue gc`: show, and on demand remove, what desktops left behind whose process is dead."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager


def add_gc_command(commands: Any) -> None:
    """Declare the command.

    Args:
        commands: argparse's group of commands.
    """
    gc = commands.add_parser("gc", help="show what desktops left behind whose process is dead")
    gc.add_argument("--remove", action="store_true", help="remove it")
    gc.add_argument("--run", dest="run_id", metavar="ID", help="only what was made for this run")
    gc.add_argument("--provider", choices=("docker", "aws", "vmware"), default="docker", help="whose desktops (docker)")
    gc.add_argument(
        "--region",
        action="append",
        default=[],
        metavar="NAME",
        help="on AWS: only there (all that the account can use)",
    )
    gc.set_defaults(run=_gc)


def _gc(chosen: argparse.Namespace) -> int:
    from pytest_rogue.desktops.reaper import remove_leftovers

    with _place(chosen) as place:
        left = remove_leftovers([place], chosen.run_id, dry_run=not chosen.remove)
    for leftover in left:
        print(f"{'removed' if chosen.remove else 'left'}: {leftover}")
    if not left:
        print("nothing is left behind")
    elif not chosen.remove:
        provider = "" if chosen.provider == "docker" else f" --provider={chosen.provider}"
        print(f"pytest-rogue gc{provider} --remove removes it")
    return 0


def _place(chosen: argparse.Namespace) -> AbstractContextManager[object]:
    """Return what is asked for leftovers, and closed afterwards."""
    if chosen.provider == "vmware":
        from pytest_rogue.desktops.vmware_leftovers import VmwareHost

        return nullcontext(VmwareHost())
    return _aws(chosen.region) if chosen.provider == "aws" else _docker()


@contextmanager
def _docker() -> Iterator[object]:
    from pytest_rogue.desktops.docker import DockerProvider

    provider = DockerProvider()
    try:
        yield provider
    finally:
        provider.engine.close()


@contextmanager
def _aws(regions: Sequence[str]) -> Iterator[object]:
    from pytest_rogue.desktops.aws_leftovers import AwsRegions

    chosen = AwsRegions(regions)
    try:
        yield chosen
    finally:
        chosen.close()
