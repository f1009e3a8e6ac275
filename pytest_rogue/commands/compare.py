"""`pytest-rogue compare A B`: two runs, or two models, on the cases they share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.reporting.commands import add_report_dir

if TYPE_CHECKING:
    import argparse

WORSE = 11
"""Exit code of `--fail-if-worse`, the same as that of a run's baseline gate."""


def add_compare_command(commands: Any) -> None:
    """Declare the command.

    Args:
        commands: argparse's group of commands.
    """
    compare = commands.add_parser("compare", help="two runs, or two models, on the cases they share")
    compare.add_argument("before", type=Path, metavar="A", help="a run's folder, its id, or a report.json")
    compare.add_argument("after", type=Path, metavar="B", help="the same; may be A, for two models")
    compare.add_argument("--model-a", metavar="NAME", help="model of A (all that both have)")
    compare.add_argument("--model-b", metavar="NAME", help="model of B")
    add_report_dir(compare)
    compare.add_argument("--json", action="store_true", help="print JSON")
    compare.add_argument("--fail-if-worse", action="store_true", help=f"exit with {WORSE} where B is worse")
    compare.set_defaults(run=_compare)


def _compare(chosen: argparse.Namespace) -> int:
    from pytest_rogue.reporting.compare import compare, comparison_lines
    from pytest_rogue.reporting.reports_on_disk import read_report
    from pytest_rogue.reporting.run_report import find_run, report_of

    before, after = (
        read_report(named) if named.is_file() else report_of(find_run(named, chosen.report_dir))
        for named in (chosen.before, chosen.after)
    )
    found = compare(before, after, (chosen.model_a, chosen.model_b))
    print(json.dumps(found.to_dict(), indent=2) if chosen.json else "\n".join(comparison_lines(found)))
    return WORSE if chosen.fail_if_worse and found.worse else 0
