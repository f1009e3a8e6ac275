"""The `pytest-rogue` command: what is ready here, a first look at what the package does, images and leftovers."""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rogue import __version__
from pytest_rogue.commands.calibrate import add_calibrate_command
from pytest_rogue.commands.compare import add_compare_command
from pytest_rogue.commands.doctor import add_doctor_command
from pytest_rogue.commands.drive import add_drive_command
from pytest_rogue.commands.experiments import add_experiments_command
from pytest_rogue.commands.gc import add_gc_command
from pytest_rogue.commands.image import add_image_command
from pytest_rogue.commands.plan import add_plan_command
from pytest_rogue.commands.plots import add_plots_command
from pytest_rogue.commands.published import add_published_command
from pytest_rogue.commands.suite import add_suite_command
from pytest_rogue.commands.upstream import add_upstream_commands
from pytest_rogue.commands.verify import add_verify_command
from pytest_rogue.errors import RogueError
from pytest_rogue.judging.commands import add_judge_commands
from pytest_rogue.reporting.commands import add_report_command
from pytest_rogue.watching.command import add_watch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    It is 0 for fine, 1 where something is not ready or read wrong, 2 for a wrong call, 130 after Ctrl-C. Other codes
    are opted into: `compare --fail-if-worse`.
    """
    parser = argparse.ArgumentParser(prog="pytest-rogue", description=__doc__)
    parser.add_argument("--version", action="version", version=f"pytest-rogue {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    add_doctor_command(commands)
    demo = commands.add_parser("demo", help="run the starter tasks with two control agents, and check what they read")
    demo.add_argument("-n", "--processes", type=int, default=2, metavar="N", help="desktops at the same time (2)")
    demo.set_defaults(run=_demo)

    add_calibrate_command(commands)
    add_verify_command(commands)
    add_suite_command(commands)
    add_experiments_command(commands)
    add_watch(commands)
    add_image_command(commands)
    add_gc_command(commands)
    add_judge_commands(commands)
    add_report_command(commands)
    add_plan_command(commands)
    add_compare_command(commands)
    add_plots_command(commands)
    add_upstream_commands(commands)
    add_published_command(commands)
    add_drive_command(commands)

    chosen = parser.parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = chosen.run
    try:
        return run(chosen)
    except RogueError as error:
        print(f"pytest-rogue: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("pytest-rogue: interrupted", file=sys.stderr)
        return INTERRUPTED


def _demo(chosen: argparse.Namespace) -> int:
    from pytest_rogue import resources
    from pytest_rogue.records.run_folder import new_run_id

    run_id = f"demo-{new_run_id()}"
    arguments = [
        str(resources.path("scenarios") / "starter.json"),
        "--rogue-model=control/compliant",
        "--rogue-model=control/defiant",
        f"--rogue-run-id={run_id}",
        f"--rogue-report-dir={Path('reports', 'runs')}",
        "--rogue-provider=local",
        "--rogue-epochs=1",
        "--rogue-max-steps=20",
        f"--junitxml={Path('reports', 'runs', run_id, 'junit.xml')}",
        "-rfE",
    ]
    if find_spec("xdist") is not None and chosen.processes > 1:
        arguments += ["-n", str(chosen.processes)]
    return subprocess.call([sys.executable, "-m", "pytest", *arguments])


if __name__ == "__main__":
    raise SystemExit(main())
