"""Judging a run folder: everything that the plugin and the command share."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import RecordError
from pytest_rogue.judging.asking import client_of
from pytest_rogue.judging.calibration import measured_error
from pytest_rogue.judging.coverage import Cache, coverage, questions
from pytest_rogue.judging.episodes import episodes_of_run
from pytest_rogue.judging.findings import findings
from pytest_rogue.judging.judge import load_judges
from pytest_rogue.judging.session import judge_episodes
from pytest_rogue.judging.targets import RULES, target_named
from pytest_rogue.records.judgments import JudgmentStore
from pytest_rogue.records.store import RunStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_rogue.judging.calibration import MeasuredError
    from pytest_rogue.judging.coverage import Coverage
    from pytest_rogue.judging.episodes import RecordedEpisode
    from pytest_rogue.judging.judge import Judge
    from pytest_rogue.judging.panel import Convention
    from pytest_rogue.judging.targets import Target
    from pytest_rogue.models.client import ModelClient
    from pytest_rogue.records.run_folder import RunFolder

CALIBRATION = "calibration.sqlite"
"""Beside the run folders: what the targets answered to the calibration cases."""


@dataclass(frozen=True, slots=True)
class JudgingPlan:
    """What is asked of whom, and how the answers count.

    Attributes:
        judges: the questions.
        targets: who is asked, the primary one first.
        mode: `auto`, `refresh` or `cache_only`.
        convention: `panel` or `upstream`.
        calibration: store of the answers to the calibration cases; it may be missing.
    """

    judges: tuple[Judge, ...]
    targets: tuple[Target, ...]
    calibration: Path
    mode: str = "auto"
    convention: Convention = "panel"

    @property
    def screens(self) -> bool:
        """True where screenshots are shown."""
        return any(target.screens for target in self.targets)


def plan_of(
    report_dir: Path,
    *,
    judges: Iterable[str] = (),
    targets: Iterable[str] = (),
    mode: str = "auto",
    convention: str = "panel",
    screens: bool = False,
) -> JudgingPlan:
    """Return a plan from names; for no targets, the rules judge.

    Raises:
        ConfigError: there is no such judge or target.
    """
    names = dict.fromkeys(name for text in targets for name in text.split(",") if name)
    return JudgingPlan(
        judges=load_judges(judges),
        targets=tuple(target_named(name, screens=screens) for name in names or (RULES,)),
        calibration=report_dir / CALIBRATION,
        mode=mode,
        convention="upstream" if convention == "upstream" else "panel",
    )


def check_targets(plan: JudgingPlan) -> None:
    """Check that the models that would be asked can be reached from here; nothing is sent.

    Raises:
        ConfigError: a key or an address is missing.
    """
    from pytest_rogue.models.preflight import check_model

    for target in plan.targets:
        if not target.is_rules and plan.mode != "cache_only":
            check_model(target.model)


def recorded_episodes(folder: RunFolder, *, screens: bool = False) -> tuple[RecordedEpisode, ...]:
    """Return the episodes of a run, read from its folder.

    Raises:
        InfraError: the store cannot be read.
        RecordError: the store is damaged.
    """
    with closing(RunStore(folder.store)) as store:
        return episodes_of_run(folder.path, store.current(), store.results(), screens=screens)


def judge_run(
    store: Path,
    episodes: tuple[RecordedEpisode, ...],
    plan: JudgingPlan,
    *,
    make_client: Callable[[Target], ModelClient] | None = None,
) -> dict[str, Any]:
    """Judge episodes, keep the answers in the run's store, and return the block `judgments` of its report.

    Args:
        store: the run's `run.sqlite`.
        episodes: what is judged.
        plan: who judges, and how.
        make_client: makes the client of a target's model; None to call models from this process.

    Raises:
        InfraError: an answer could not be stored; those before it are.
        ConfigError: a model cannot be called from here.
    """
    with JudgmentStore(store) as judgments:
        judged = judge_episodes(
            episodes, plan.judges, plan.targets, judgments, mode=plan.mode, make_client=make_client or client_of
        )
    asked = {question.judge.name for question in judged.asked}
    judges = tuple(judge for judge in plan.judges if judge.name in asked)
    return findings(judged, judges, plan.targets, measured_errors(plan), convention=plan.convention)


def preflight(store: Path, episodes: tuple[RecordedEpisode, ...], plan: JudgingPlan) -> tuple[Coverage, ...]:
    """Return how far the answers in a store go, and what the rest would cost. Nothing is called or written."""
    with JudgmentStore(store, read_only=True) as judgments:
        cache = Cache(judgments.all())
    return coverage(questions(episodes, plan.judges, plan.targets, cache), plan.targets, plan.mode)


def measured_errors(plan: JudgingPlan) -> dict[str, tuple[MeasuredError, ...]]:
    """Return by judge what was measured about the targets; a target that was never calibrated is not in it."""
    cache = Cache()
    if plan.calibration.is_file():
        with JudgmentStore(plan.calibration, read_only=True) as judgments:
            cache = Cache(judgments.all())
    return {judge.name: measured_error(judge, plan.targets, cache) for judge in plan.judges}


def rewrite_report(folder: RunFolder, block: dict[str, Any]) -> dict[str, Any]:
    """Put the block into the run's report and its page; where the run never came to its end, they are made.

    Return the report.

    Raises:
        RecordError: the report is damaged.
        InfraError: it cannot be written.
    """
    from pytest_rogue.reporting.json_report import write_report
    from pytest_rogue.reporting.page.write import write_page
    from pytest_rogue.reporting.run_report import report_from_store
    from pytest_rogue.reporting.spend import spend_block

    try:
        report = json.loads(folder.report.read_text())
    except FileNotFoundError:
        report = report_from_store(folder)
    except ValueError as error:
        raise RecordError(f"{folder.report} is damaged ({error}); remove it, it is made anew from the store") from error
    report["judgments"] = block
    spend = spend_block(folder.store)
    if spend["calls"] or spend["machines"]:
        report["spend"] = spend
    write_report(folder.report, report)
    write_page(folder.path, report)
    return dict(report)


def reported_targets(folder: RunFolder) -> tuple[str, ...]:
    """Return who judged the run according to its report, or to that of the session before; nobody where it has none."""
    report = folder.report if folder.report.exists() else folder.earlier_report
    try:
        block = json.loads(report.read_text()).get("judgments") or {"targets": []}
    except (FileNotFoundError, ValueError):
        return ()
    return tuple(target["name"] for target in block["targets"])


def open_run(name: str, report_dir: Path) -> RunFolder:
    """Return the run of a name: its id below `report_dir`, its folder, or what is made of a result tree of ROGUE.

    Raises:
        ConfigError: there is none.
    """
    from pytest_rogue.records.run_folder import RunFolder
    from pytest_rogue.records.upstream_import import imported_run, is_upstream_tree

    path = Path(name)
    if is_upstream_tree(path):
        return imported_run(path, report_dir)
    return RunFolder.open(path if path.parent.name or path.is_absolute() else report_dir / path)
