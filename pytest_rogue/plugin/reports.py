"""What a report of a scenario item carries, from the process that ran it to the controller and into JUnit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import RogueError
from pytest_rogue.outcome import Outcome
from pytest_rogue.plugin.item import CaseItem, EpisodeBroke
from pytest_rogue.plugin.keys import RESULT, RUN, SKIPPED_AS
from pytest_rogue.plugin.retry import mark_report

if TYPE_CHECKING:
    from collections.abc import Generator

    import pytest

    from pytest_rogue.records.result import EpisodeResult

EPISODE_PHASE = "episode"
"""`when` of a report whose episode broke: pytest and JUnit then count it as an error, not as a failure."""


def make_report(item: CaseItem, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Wrap pytest's report: add the result, keep secrets out, and tell errors from failures."""
    result = _result(item, call)
    if result is not None:
        item.user_properties.extend(_properties(item, result))
        _attach(item, call.when)
    report = yield
    if result is not None:
        report.rogue = _wire(item, result)  # type: ignore[attr-defined]
    elif report.when == "teardown" and report.failed and call.excinfo is not None:
        report.rogue = {"key": item.key, "teardown_fault": _fault(call, "teardown")}  # type: ignore[attr-defined]
    if call.when == "call" and _broke(item, call):
        report.when = EPISODE_PHASE  # type: ignore[assignment]
    if call.when != "call" and call.excinfo is not None and isinstance(call.excinfo.value, RogueError):
        report.longrepr = str(call.excinfo.value)
        if result is not None and result.outcome is Outcome.NOT_RUN:
            report.outcome = "skipped"
            report.longrepr = (str(item.path), 0, f"Skipped: {call.excinfo.value}")
    mark_report(item, report)
    _scrub(report)
    return report


def _broke(item: CaseItem, call: pytest.CallInfo[None]) -> bool:
    """True where the body ended with neither a finding nor a skip, or with the finding that the episode broke."""
    import pytest

    error = call.excinfo.value if call.excinfo else None
    if error is None or isinstance(error, (pytest.skip.Exception, pytest.xfail.Exception)):
        return False
    return isinstance(error, EpisodeBroke) or RESULT not in item.stash


def _result(item: CaseItem, call: pytest.CallInfo[None]) -> EpisodeResult | None:
    """Return the result to be reported with this phase: one a run of the item, from the phase that ended it."""
    if call.when == "call" and RESULT in item.stash:
        return item.stash[RESULT]
    if call.excinfo is None or call.when == "teardown" or item.model is None or item.config.stash[RUN] is None:
        return None
    import pytest

    from pytest_rogue.errors import policy_for
    from pytest_rogue.interaction import Usage
    from pytest_rogue.records.result import EpisodeResult, Fault

    error = call.excinfo.value
    if isinstance(error, (KeyboardInterrupt, SystemExit)):
        return None
    if isinstance(error, pytest.skip.Exception):
        outcome = item.stash.get(SKIPPED_AS, Outcome.SKIPPED)
        return EpisodeResult(outcome=outcome, notes=(str(error.msg),))
    policy = policy_for(error)
    fault = Fault(**_fault(call, call.when), ends_run=policy.ends_run)
    if call.when == "setup":
        outcome = policy.outcome or Outcome.ERROR
        return EpisodeResult(outcome=outcome, faults=(fault,), score_reason="the episode never began")
    reason = "the episode gave no result"
    return EpisodeResult(outcome=Outcome.ERROR, faults=(fault,), score_reason=reason, usage=Usage(cost=None))


def _fault(call: pytest.CallInfo[None], phase: str) -> dict[str, str]:
    from pytest_rogue.secrets import scrub

    assert call.excinfo is not None  # noqa: S101 - both callers have looked
    error = call.excinfo.value
    return {"kind": type(error).__name__, "message": scrub(str(error)), "phase": phase}


def _wire(item: CaseItem, result: EpisodeResult) -> dict[str, Any]:
    from pytest_rogue.secrets import scrub_data

    wire: dict[str, Any] = scrub_data(
        {"key": item.key, "is_control": item.expected is not None, "result": result.to_dict()}
    )
    return wire


def _properties(item: CaseItem, result: EpisodeResult) -> list[tuple[str, object]]:
    """Return the JUnit properties; a value that was not measured is left out, never written as 0."""
    measured = {
        "outcome": str(result.outcome),
        "verdict": str(result.verdict) if result.verdict else None,
        "verdict_reason": result.verdict_reason or None,
        "method": result.method or None,
        "score": result.score,
        "model": item.who,
        "mode": item.mode,
        "scenario": item.case.scenario,
        "variant": item.case.variant,
        "task": item.case.task.id,
        "ending": str(result.ending) if result.ending else None,
        "steps": result.steps,
        "seconds": round(sum(result.seconds.get(phase, 0.0) for phase in ("setup", "arm", "loop", "evaluate")), 3),
        "tokens": result.usage.prompt_tokens + result.usage.completion_tokens,
        "cost": result.usage.cost,
    }
    return [(f"rogue.{name}", value) for name, value in measured.items() if value is not None]


def _attach(item: CaseItem, when: str) -> None:
    """Name the episode's files in JUnit, for CI servers that show what a test names as `[[ATTACHMENT|path]]`.

    They stand in the test case's output, so only where `junit_logging` asks for it.
    """
    run = item.config.stash[RUN]
    if run is None or not item.config.getoption("xmlpath", None):
        return
    if item.config.getini("junit_logging") not in ("system-out", "out-err", "all"):
        return
    from pytest_rogue.reporting.attachments import attachments_of

    lines = attachments_of(run.folder.episode(item.key), item.config.invocation_params.dir)
    if lines:
        item.add_report_section(when, "stdout", "\n".join(lines))


def _scrub(report: pytest.TestReport) -> None:
    """Keep secrets and control characters out of everything that leaves this process."""
    from pytest_rogue.secrets import printable, scrub, scrub_data

    report.sections = [(title, printable(scrub(text))) for title, text in report.sections]
    report.user_properties = scrub_data(report.user_properties)
    if isinstance(report.longrepr, tuple):
        path, line, reason = report.longrepr
        report.longrepr = (path, line, printable(scrub(reason)))
    elif report.longrepr is not None:
        text = str(report.longrepr)
        clean = scrub(text)
        if clean != text or isinstance(report.longrepr, str):
            report.longrepr = printable(clean)
