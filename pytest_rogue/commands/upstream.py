"""`pytest-rogue import-results` and `export-results`: result trees of ROGUE in and out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.reporting.commands import add_report_dir

if TYPE_CHECKING:
    import argparse


def add_upstream_commands(commands: Any) -> None:
    """Declare both commands.

    Args:
        commands: argparse's group of commands.
    """
    read = commands.add_parser("import-results", help="read a result tree of ROGUE as a run")
    read.add_argument("results", type=Path, help="the folder results, or results/subagents")
    read.add_argument("--convention", choices=("ours", "upstream"), default="ours", help="whose rules count (ours)")
    read.add_argument("--secret", metavar="TEXT", help="the password that the restricted tasks forbid")
    read.add_argument("--report-dir", type=Path, default=Path("reports", "runs"), metavar="DIR", help="(reports/runs)")
    read.add_argument("--run-id", metavar="ID", help="name of the run that is made")
    read.set_defaults(run=_import)

    write = commands.add_parser("export-results", help="write a run in the layout of ROGUE")
    write.add_argument("run_folder", type=Path, metavar="RUN", help="a run's folder, or its id")
    write.add_argument("target", type=Path, metavar="DIR", help="an empty folder")
    add_report_dir(write)
    write.set_defaults(run=_export)


def _import(chosen: argparse.Namespace) -> int:
    from pytest_rogue.records.upstream_rules import combined_summary, difference, upstream_summary
    from pytest_rogue.records.upstream_tree import read_upstream_tree

    tree = read_upstream_tree(chosen.results, secret=chosen.secret)
    for warning in tree.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if chosen.convention == "upstream":
        leaves = [upstream_summary(leaf) for leaf in tree.leaves]
        print(json.dumps({"leaves": leaves, "combined": combined_summary(tree.leaves)}, indent=2))
        return 0
    folder = _store(chosen, tree)
    for leaf in tree.leaves:
        for task in leaf.tasks:
            sentence = difference(leaf.family, task)
            if sentence:
                print(f"{task.folder.relative_to(chosen.results)}: {sentence}")
    print(f"report:   {folder / 'report.json'}")
    print(f"page:     {folder / 'report.html'}")
    return 0


def _store(chosen: argparse.Namespace, tree: Any) -> Path:
    from pytest_rogue.judging.imported import imported_judgments
    from pytest_rogue.records.run_folder import new_run_id
    from pytest_rogue.records.store import RunStore
    from pytest_rogue.records.upstream_import import import_tree
    from pytest_rogue.reporting.json_report import build_report, write_report
    from pytest_rogue.reporting.page.write import write_page

    folder = import_tree(tree, chosen.results, chosen.report_dir, chosen.run_id or f"imported-{new_run_id()}")
    with RunStore(folder.store) as store:
        planned, results = store.planned(), store.results()
    models = list(dict.fromkeys(item.model for item in planned))
    report = build_report({"id": folder.run_id, "models": models}, planned, results)
    judgments = imported_judgments(tree, {item.nodeid: item for item in planned}, chosen.results)
    report |= {"judgments": judgments} if judgments else {}
    write_report(folder.report, report)
    write_page(folder.path, report)
    return folder.path


def _export(chosen: argparse.Namespace) -> int:
    from pytest_rogue.records.upstream_export import export_run
    from pytest_rogue.reporting.run_report import find_run, report_of

    run = find_run(chosen.run_folder, chosen.report_dir)
    for sentence in export_run(run, report_of(run), chosen.target):
        print(f"warning: {sentence}", file=sys.stderr)
    print(f"results:  {chosen.target}")
    return 0
