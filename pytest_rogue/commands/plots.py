"""`pytest-rogue plots RUN... --out DIR`: the figures of one or more runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.reporting.commands import add_report_dir

if TYPE_CHECKING:
    import argparse


def add_plots_command(commands: Any) -> None:
    """Declare the command.

    Args:
        commands: argparse's group of commands.
    """
    from pytest_rogue.reporting.plots.kinds import KINDS

    plots = commands.add_parser("plots", help="draw the figures of one or more runs, as SVG and PDF")
    plots.add_argument("runs", nargs="+", metavar="RUN", help="a run's folder, or its id")
    plots.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the figures")
    plots.add_argument("--kind", action="append", choices=tuple(KINDS), default=[], help="which (all); repeatable")
    add_report_dir(plots)
    plots.set_defaults(run=_plots)


def _plots(chosen: argparse.Namespace) -> int:
    from pytest_rogue.errors import ConfigError
    from pytest_rogue.reporting.plots.write import charts_of, write_chart
    from pytest_rogue.reporting.run_report import find_run, report_of

    reports = [report_of(find_run(Path(name), chosen.report_dir)) for name in chosen.runs]
    charts, empty = charts_of(reports, chosen.kind)
    if not charts:
        raise ConfigError(
            f"nothing to draw: the runs have no episodes for {', '.join(empty)}; docs/plots.md says what each takes."
        )
    for chart in charts:
        for path in write_chart(chart, chosen.out):
            print(path)
    for name in empty:
        print(f"left out, no episodes for it: {name}", file=sys.stderr)
    return 0
