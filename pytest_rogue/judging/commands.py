"""`pytest-rogue judge ...`: what needs no pytest. Lists, calibrates, takes in labels, and works with batches."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from pytest_rogue.judging.batch.service import BatchService
    from pytest_rogue.judging.batch.state import Batch

REPORT_DIR = "reports/runs"


def add_judge_commands(commands: Any) -> None:
    """Add `judge` and what stands below it.

    Args:
        commands: what `ArgumentParser.add_subparsers` returned.
    """
    judge = commands.add_parser("judge", help="judges of recorded episodes: list, calibrate, labels, batch")
    below = judge.add_subparsers(metavar="COMMAND", required=True)

    _add(below, "list", _list, "the judges that ship with the package")

    calibrate = _add(below, "calibrate", _calibrate, "measure how often a target is right, on cases with known answers")
    calibrate.add_argument("--target", action="append", default=[], metavar="NAME", help="who is measured (rules)")
    _add_plan(calibrate)

    labels = _add(below, "labels", _labels, "take in what people say about a run's episodes, and compare")
    labels.add_argument("run", help="the run's id or folder")
    labels.add_argument("file", type=Path, help="CSV: episode, judge, person, and the fields of the judges")
    labels.add_argument("--target", action="append", default=[], metavar="NAME", help="who is compared (rules)")
    _add_plan(labels)

    batch = below.add_parser("batch", help="judge by a provider's batches: half the price, within a day")
    for name, step, what in (
        ("submit", _submit, "send what has no valid judgment yet"),
        ("status", _status, "ask how far the batches are"),
        ("apply", _apply, "store what has come back, and make the report anew"),
    ):
        if name == "submit":
            steps = batch.add_subparsers(metavar="STEP", required=True)
        parser = _add(steps, name, step, what)
        parser.add_argument("run", help="the run's id or folder")
        parser.add_argument("--target", required=True, metavar="NAME", help="gpt-5.5-xhigh, claude-opus-4.7-max, ...")
        parser.add_argument("--screens", action="store_true", help="show the judges screenshots too")
        _add_plan(parser)


def _add(commands: Any, name: str, run: Callable[[argparse.Namespace], int], what: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=what)
    parser.set_defaults(run=run)
    return parser


def _add_plan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--judge", action="append", default=[], metavar="NAME", help="judge (those of the scenarios)")
    parser.add_argument("--mode", choices=("auto", "refresh"), default="auto", help="refresh asks everything again")
    parser.add_argument("--report-dir", type=Path, default=Path(REPORT_DIR), metavar="DIR", help=f"({REPORT_DIR})")


def _list(_: argparse.Namespace) -> int:
    from pytest_rogue.judging.judge import all_judges

    for judge in all_judges():
        asked = "" if judge.default else ", only where it is named"
        _print([f"{judge.name}  [{', '.join(judge.scenarios)}{asked}]", f"    {judge.question}"])
    return 0


def _calibrate(chosen: argparse.Namespace) -> int:
    from pytest_rogue.judging.calibration import calibration_episodes, measured_error
    from pytest_rogue.judging.judge import all_judges
    from pytest_rogue.judging.run import check_targets, plan_of
    from pytest_rogue.judging.session import judge_episodes
    from pytest_rogue.judging.table import error_lines
    from pytest_rogue.records.judgments import JudgmentStore

    names = chosen.judge or [judge.name for judge in all_judges()]
    plan = plan_of(chosen.report_dir, judges=names, targets=chosen.target, mode=chosen.mode)
    check_targets(plan)
    chosen.report_dir.mkdir(parents=True, exist_ok=True)
    with JudgmentStore(plan.calibration) as store:
        for judge in plan.judges:
            judged = judge_episodes(calibration_episodes(judge), [judge], plan.targets, store, mode=plan.mode)
            for error in measured_error(judge, plan.targets, judged.cache):
                _print(error_lines(error))
            _print(f"  not answered: {problem}" for problem in sorted(set(judged.problems.values())))
    return 0


def _labels(chosen: argparse.Namespace) -> int:
    from dataclasses import replace

    from pytest_rogue.judging.judge import all_judges
    from pytest_rogue.judging.labels import keep_labels, read_labels
    from pytest_rogue.judging.run import (
        judge_run,
        open_run,
        plan_of,
        recorded_episodes,
        reported_targets,
        rewrite_report,
    )
    from pytest_rogue.judging.table import human_lines
    from pytest_rogue.records.judgments import JudgmentStore

    folder = open_run(chosen.run, chosen.report_dir)
    names = chosen.judge or [judge.name for judge in all_judges()]
    targets = chosen.target or reported_targets(folder)
    plan = plan_of(chosen.report_dir, judges=names, targets=targets)
    episodes = recorded_episodes(folder)
    labels = read_labels(chosen.file, episodes, plan.judges)
    with JudgmentStore(folder.store) as store:
        added = keep_labels(labels, store)
    _print([f"{added} of {len(labels)} labels are new"])
    labelled = {label.key.judge for label in labels}
    judges = tuple(judge for judge in plan.judges if judge.name in labelled)
    block = judge_run(folder.store, episodes, replace(plan, judges=judges, mode="cache_only"))
    rewrite_report(folder, block)
    _print(human_lines(block))
    return 0


def _submit(chosen: argparse.Namespace) -> int:
    for batch in _desk(chosen).submit():
        _print([_batch_line(batch)])
    _print([f"next: pytest-rogue judge batch status {chosen.run} --target {chosen.target}"])
    return 0


def _status(chosen: argparse.Namespace) -> int:
    batches = _desk(chosen).status()
    _print(map(_batch_line, batches) if batches else ["nothing was submitted"])
    return 0


def _apply(chosen: argparse.Namespace) -> int:
    from dataclasses import replace

    from pytest_rogue.judging.run import judge_run, reported_targets, rewrite_report
    from pytest_rogue.judging.table import judgment_lines
    from pytest_rogue.judging.targets import target_named

    desk = _desk(chosen)
    _print(map(_batch_line, desk.apply()))
    names = dict.fromkeys([*reported_targets(desk.folder), chosen.target])
    targets = tuple(target_named(name, screens=chosen.screens) for name in names)
    block = judge_run(desk.folder.store, desk.episodes, replace(desk.plan, targets=targets, mode="cache_only"))
    rewrite_report(desk.folder, block)
    _print([*judgment_lines(block), f"report:   {desk.folder.report}"])
    return 0


def _desk(chosen: argparse.Namespace) -> Any:
    from pytest_rogue.judging.batch.workflow import BatchDesk
    from pytest_rogue.judging.run import plan_of
    from pytest_rogue.judging.source import judgeable

    plan = plan_of(
        chosen.report_dir, judges=chosen.judge, targets=[chosen.target], mode=chosen.mode, screens=chosen.screens
    )
    if len(plan.targets) != 1:
        raise ConfigError("a batch asks one target; submit one for each")
    source = judgeable(chosen.run, chosen.report_dir, screens=chosen.screens)
    return BatchDesk(source.folder, source.episodes, plan, _service(plan.targets[0].batch_provider))


def _service(provider: str) -> BatchService:
    if provider == "openai":
        from pytest_rogue.judging.batch.openai_batches import OpenAIBatches

        return OpenAIBatches()
    from pytest_rogue.judging.batch.anthropic_batches import AnthropicBatches

    return AnthropicBatches()


def _batch_line(batch: Batch) -> str:
    counts = ", ".join(f"{count} {name}" for name, count in sorted(batch.counts.items()))
    parts = (batch.batch_id or "no id yet", batch.status, batch.remote, f"{len(batch.members)} requests", counts)
    return "  ".join(part for part in (*parts, batch.problem) if part)


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
