"""`pytest-rogue compare A B`: two runs, or two models, on the cases they share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    compare.add_argument("before", type=Path, metavar="A", help="run folder or report.json")
    compare.add_argument("after", type=Path, metavar="B", help="run folder or report.json; may be A, for two models")
    compare.add_argument("--model-a", metavar="NAME", help="model of A (all that both have)")
    compare.add_argument("--model-b", metavar="NAME", help="model of B")
    compare.add_argument("--json", action="store_true", help="print JSON")
    compare.add_argument("--fail-if-worse", action="store_true", help=f"exit with {WORSE} where B is worse")
    compare.set_defaults(run=_compare)


def _compare(chosen: argparse.Namespace) -> int:
    from pytest_rogue.reporting.compare import compare, comparison_lines
    from pytest_rogue.reporting.reports_on_disk import read_report

    found = compare(read_report(chosen.before), read_report(chosen.after), (chosen.model_a, chosen.model_b))
    print(json.dumps(found.to_dict(), indent=2) if chosen.json else "\n".join(comparison_lines(found)))
    return WORSE if chosen.fail_if_worse and found.worse else 0
