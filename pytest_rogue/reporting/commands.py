"""`pytest-rogue report`: the page, the tables and the summary of a run, made again or in another form."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

FORMATS = ("html", "markdown", "csv", "parquet")


def add_report_command(commands: Any) -> None:
    """Add `report` to the commands of an argument parser."""
    parser = commands.add_parser("report", help="write the page of a run, or its tables, or print its summary")
    parser.add_argument("name", metavar="RUN", help="the run's folder, or its id")
    add_report_dir(parser)
    parser.add_argument("--format", choices=FORMATS, default="html", help="html (the page), csv, parquet, markdown")
    parser.add_argument("--standalone", action="store_true", help="one file with all pictures in it, to be sent")
    parser.set_defaults(run=_report)


def add_report_dir(parser: argparse.ArgumentParser) -> None:
    """Declare the folder in which a command looks for a run that is named by its id."""
    parser.add_argument(
        "--report-dir",
        type=Path,
        default=Path("reports", "runs"),
        metavar="DIR",
        help="where an id is looked for (reports/runs)",
    )


def _report(chosen: argparse.Namespace) -> int:
    from pytest_rogue.errors import ConfigError
    from pytest_rogue.reporting.run_report import find_run, report_of

    if chosen.standalone and chosen.format != "html":
        raise ConfigError(f"--standalone is for the page; leave it out with --format={chosen.format}.")
    run = find_run(Path(chosen.name), chosen.report_dir)
    if chosen.format == "markdown":
        from pytest_rogue.reporting.markdown import markdown_summary

        print(markdown_summary(report_of(run)), end="")  # noqa: T201 - a command prints
        return 0
    for path in _write(run, chosen.format, standalone=chosen.standalone):
        print(path)  # noqa: T201 - a command prints
    return 0


def _write(run: Path, form: Any, *, standalone: bool) -> list[Path]:
    if form == "html":
        from pytest_rogue.reporting.page.write import write_page, write_standalone_page
        from pytest_rogue.reporting.run_report import report_of

        return [(write_standalone_page if standalone else write_page)(run, report_of(run))]
    from pytest_rogue.reporting.tables import write_tables

    return write_tables(run, form, run)
