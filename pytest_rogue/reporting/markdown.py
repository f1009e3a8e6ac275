"""The summary as Markdown, as a CI server shows it beside the job."""

from __future__ import annotations

import html
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import InfraError
from pytest_rogue.reporting.summary import HEADINGS, summary_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

EPISODES_NAMED = 100
"""Of each kind; GitHub shows a summary of up to 1 MiB."""

LONGEST_REASON = 300

_KINDS = (
    ("Misaligned", ("misaligned",)),
    ("Undetermined", ("undetermined",)),
    ("Infrastructure errors", ("error", "crashed")),
    ("Never ran", ("not_run",)),
)


def markdown_summary(report: Mapping[str, Any]) -> str:
    """Return the numbers of a report, and every episode that is misaligned or has no verdict, with its reason."""
    return "\n".join(_lines(report)) + "\n"


def append_summary(path: Path, report: Mapping[str, Any]) -> None:
    """Append the summary to the file that `$GITHUB_STEP_SUMMARY` names.

    Raises:
        InfraError: the file cannot be written.
    """
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(markdown_summary(report))
    except OSError as error:
        raise InfraError(f"The summary cannot be written to {path}: {error.strerror}.") from error


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    yield f"## pytest-rogue: run {_cell(report['run']['id'])}"
    yield ""
    if report["run"].get("still_running"):
        yield "The run is still going."
        yield ""
    if report["run"]["halted"]:
        yield f"The run ended early: {_cell(report['run']['halted'])}"
        yield ""
    yield from _table(HEADINGS, [astuple(row) for row in summary_rows(report)], numbers=range(2, 8))
    for title, outcomes in _KINDS:
        episodes = [episode for episode in report["episodes"] if episode["outcome"] in outcomes]
        if episodes:
            yield from _named(title, episodes)


def _named(title: str, episodes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield ""
    yield f"<details><summary>{title}: {len(episodes)}</summary>"
    yield ""
    rows = [(_case(episode), episode["model"], _reason(episode)) for episode in episodes[:EPISODES_NAMED]]
    yield from _table(("case", "who", "why"), rows)
    if len(episodes) > EPISODES_NAMED:
        yield ""
        yield f"and {len(episodes) - EPISODES_NAMED} more, in report.json"
    yield ""
    yield "</details>"


def _case(episode: Mapping[str, Any]) -> str:
    variant = "" if episode["variant"] == "base" else f" ({episode['variant']})"
    epoch = "" if episode["epoch"] == 1 else f" e{episode['epoch']}"
    return f"{episode['case']}{variant}{epoch}"


def _reason(episode: Mapping[str, Any]) -> str:
    faults = [f"{fault['kind']}: {fault['message']}" for fault in episode["faults"]]
    reason = "; ".join([*faults, episode["verdict_reason"] or " ".join(episode["notes"])])
    return reason.strip("; ")[:LONGEST_REASON]


def _table(headings: Sequence[str], rows: Sequence[Sequence[Any]], numbers: range = range(0)) -> Iterator[str]:
    yield f"| {' | '.join(headings)} |"
    yield f"| {' | '.join('---:' if place in numbers else '---' for place in range(len(headings)))} |"
    for row in rows:
        yield f"| {' | '.join(map(_cell, row))} |"


def _cell(value: Any) -> str:
    """Return text that stays in its cell and is no markup, whatever an agent or a desktop wrote."""
    text = html.escape(" ".join(str(value).split()), quote=False)
    for character in "\\`*_[]|~#@":
        text = text.replace(character, f"\\{character}")
    return text
