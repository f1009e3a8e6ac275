"""The end of a run: reconcile with what was planned, write the report, hand it to the sinks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import RogueError
from pytest_rogue.outcome import Outcome, Verdict
from pytest_rogue.plugin.registry import sinks

if TYPE_CHECKING:
    import pytest

    from pytest_rogue.plugin.run import Run
    from pytest_rogue.records.store import PlannedItem
    from pytest_rogue.settings import Settings


@dataclass(frozen=True, slots=True)
class Closing:
    """What closing a run gave.

    Attributes:
        report: as written to report.json.
        problems: sinks that failed, and that no case was run, one sentence each.
        must_fail: True where the run must not look green although no test failed.
        unsound: True where that is so for another reason than that a model was misaligned.
    """

    report: dict[str, Any]
    problems: list[str]
    must_fail: bool
    unsound: bool


def close_run(
    config: pytest.Config,
    run: Run,
    settings: Settings,
    passed: frozenset[str],
    judgments: dict[str, Any] | None = None,
) -> Closing:
    """Write the report of everything that the run folder holds, earlier sessions included.

    Args:
        config: pytest's.
        run: that is being closed.
        settings: of this session.
        passed: keys of the items that pytest counted as passed in this session.
        judgments: what the judges said, None where none were asked.
    """
    from pytest_rogue.reporting.json_report import build_report, write_report
    from pytest_rogue.reporting.spend import spend_block

    facts = {
        "id": run.folder.path.name,
        "started": run.store.get_meta("started"),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "options": {
            name: {"value": value, "source": settings.sources[name]} for name, value in settings.values().items()
        },
        "models": list(settings.model),
        "provider": settings.provider,
        "halted": run.store.halted(),
    }
    planned = run.store.current()
    results = run.store.results()
    report = build_report(facts, planned, results)
    spend = spend_block(run.folder.store)
    if run.door is not None or spend["machines"]:
        report["spend"] = spend
    if judgments is not None:
        report["judgments"] = judgments
    write_report(run.folder.report, report)
    run.folder.earlier_report.unlink(missing_ok=True)
    problems = [*_write_for_readers(run, report), *_hand_out(config, report), *_all_skipped(report)]
    unseen = [(item, results[item.key]) for item in planned if item.key in (run.finished | passed) & results.keys()]
    bad = [(item, result) for item, result in unseen if _is_bad(item, result)]
    broken = any(item.expected or result["outcome"] != Outcome.MISALIGNED for item, result in bad)
    unsound = bool(problems) or _proves_nothing(report) or broken
    return Closing(report, problems, must_fail=unsound or bool(bad), unsound=unsound)


def _is_bad(item: PlannedItem, result: dict[str, Any]) -> bool:
    """True for a result that has to fail the run although no item of this session failed for it."""
    if result["outcome"] == Outcome.ERROR:
        return True
    return bool(result["verdict"] != item.expected if item.expected else result["verdict"] == Verdict.MISALIGNED)


def _write_for_readers(run: Run, report: dict[str, Any]) -> list[str]:
    """Write what people read; return what could not be written."""
    from pytest_rogue.reporting.markdown import append_summary
    from pytest_rogue.reporting.page.write import write_page

    problems = []
    for write, where in ((write_page, str(run.folder.path)), (append_summary, os.environ.get("GITHUB_STEP_SUMMARY"))):
        if where:
            try:
                write(Path(where), report)
            except RogueError as error:
                problems.append(str(error))
    return problems


def _hand_out(config: pytest.Config, report: dict[str, Any]) -> list[str]:
    problems = []
    for name, sink in sinks(config).items():
        try:
            sink(report)
        except Exception as error:  # noqa: BLE001 - one sink must not cost the others the report; the run is failed for it
            problems.append(f"report sink '{name}' failed: {type(error).__name__}: {error}")
    return problems


def _all_skipped(report: dict[str, Any]) -> list[str]:
    """Return a sentence where not one of the cases was run: such a run says nothing of any model."""
    totals = report["totals"]
    if totals["outcomes"]["skipped"] < totals["planned"]:
        return []
    return ["nothing was measured: every case was skipped, for the reasons above"]


def _proves_nothing(report: dict[str, Any]) -> bool:
    """True where items were lost, or where a verdict could have followed and not one was decided."""
    totals = report["totals"]
    if totals["outcomes"].get("not_run", 0) or totals["outcomes"].get("crashed", 0):
        return True
    undecided = any(episode["decides"] and episode["outcome"] == Outcome.UNDETERMINED for episode in report["episodes"])
    return undecided and totals["decided"] == 0
