"""What a person at the terminal reads: a word and a letter for each item, and the numbers at the end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_rogue.outcome import NOTHING_AT_STAKE, Outcome
from pytest_rogue.plugin.retry import RETRIED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest

    from pytest_rogue.records.run_folder import RunFolder
    from pytest_rogue.settings import Settings

EPISODES_SHOWN = 60
"""A run with more episodes than this shows its numbers only."""

Status = tuple[str, str, tuple[str, dict[str, bool]]]

_WORDS: dict[str, tuple[str, str, str]] = {
    Outcome.CORRIGIBLE: (".", "CORRIGIBLE", "green"),
    Outcome.MISALIGNED: ("M", "MISALIGNED", "red"),
    Outcome.UNDETERMINED: ("U", "UNDETERMINED", "yellow"),
    Outcome.ERROR: ("I", "INFRA", "red"),
    Outcome.SKIPPED: ("s", "SKIPPED", "yellow"),
    Outcome.NOT_RUN: ("n", "NOT-RUN", "yellow"),
}


def status_of(report: pytest.TestReport | pytest.CollectReport) -> Status | None:
    """Return pytest's category (kept, so that its own summaries stay right) with our letter and word."""
    carried = getattr(report, "rogue", None)
    if report.outcome == RETRIED:
        return ("retried", "R", ("RETRIED", {"yellow": True})) if carried else ("", "", ("", {}))
    if not carried or "result" not in carried or report.outcome == "rerun":  # type: ignore[comparison-overlap]
        return None
    return _status_of_result(report, carried)


def _status_of_result(report: pytest.TestReport | pytest.CollectReport, carried: dict[str, Any]) -> Status:
    result = carried["result"]
    letter, word, colour = _WORDS[result["outcome"]]
    if hasattr(report, "wasxfail"):
        return "xfailed", "m", (f"{word} as it must", {"green": True})
    if report.passed:
        decided = result["obstacle"] and result["method"] != NOTHING_AT_STAKE
        return ("passed", letter, (word, {"green": True})) if decided else ("passed", "o", ("SCORED", {}))
    if report.skipped:
        return "skipped", letter, (word, {colour: True})
    if result["outcome"] == Outcome.ERROR:
        return "error", letter, (word, {colour: True})
    if carried["is_control"]:
        return "failed", "X", ("MISREAD", {"red": True})
    return "failed", letter, (word, {colour: True})


def header_lines(settings: Settings, provider_note: str = "") -> list[str]:
    """Return what was asked for, where each option comes from, and how the provider was chosen."""
    provider = f"provider={settings.provider}" + (f" ({provider_note})" if provider_note else "")
    chosen = settings.chosen()
    if provider_note:
        chosen.pop("provider", None)
    shown = [
        f"{name.replace('_', '-')}={' '.join(value) if isinstance(value, tuple) else value} ({source})"
        for name, (value, source) in chosen.items()
    ]
    return [f"rogue: {', '.join(shown if 'provider' in chosen else [*shown, provider])}"]


def keyword_lines(keyword: str, models: Sequence[str]) -> list[str]:
    """Return a warning for each model in whose name a word of `-k` occurs: it then finds all cases of that model."""
    words = [word for word in re.findall(r"[\w./:-]+", keyword.lower()) if word not in {"and", "or", "not"}]
    return [
        f"rogue: -k also looks at the model's name, and {word!r} is in {model}: select with -m, "
        "-m \"rogue(scenario='override', variant='base')\" for instance"
        for model in models
        for word in words
        if word in model.lower()
    ]


def write_summary(
    terminal: Any, report: dict[str, Any] | None, folder: RunFolder, junit: Path | None, said: list[tuple[str, str]]
) -> None:
    """Write episodes, rates with their denominators, what else is `said` (each in its colour), where all of it lies."""
    terminal.ensure_newline()
    terminal.section(f"rogue run {folder.path.name}", "=")
    if report is not None:
        _write_numbers(terminal, report)
    for sentence, colour in said:
        terminal.write_line(sentence, **{colour: True})
    terminal.write_line(f"report:   {folder.report if report else 'none, see above'}")
    if report is not None and folder.page.exists():
        terminal.write_line(f"page:     {folder.page}")
    if junit is not None:
        terminal.write_line(f"junit:    {junit}")
    terminal.write_line(f"episodes: {folder.episodes}")


def _write_numbers(terminal: Any, report: dict[str, Any]) -> None:
    from pytest_rogue.reporting.episode_table import episode_table
    from pytest_rogue.reporting.summary import summary_rows, summary_table
    from pytest_rogue.reporting.undecided import undecided_lines

    if len(report["episodes"]) <= EPISODES_SHOWN:
        for line in episode_table(report):
            terminal.write_line(line)
        terminal.write_line("")
    for line in summary_table(summary_rows(report)):
        terminal.write_line(line)
    terminal.write_line("")
    for line in undecided_lines(report)[: EPISODES_SHOWN + 1]:
        terminal.write_line(line)
    if "judgments" in report:
        from pytest_rogue.judging.table import judgment_lines

        for line in [*judgment_lines(report["judgments"]), ""]:
            terminal.write_line(line)
    if "spend" in report:
        from pytest_rogue.reporting.spend import spend_line

        terminal.write_line(spend_line(report["spend"]))
    if report["run"]["halted"]:
        terminal.write_line(f"run ended early: {report['run']['halted']}", red=True)
