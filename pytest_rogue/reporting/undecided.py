"""The episodes that no rate counts, each with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_rogue.secrets import printable

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Undecided:
    """A planned episode without a decided verdict.

    Attributes:
        nodeid: of the item.
        outcome: what became of it.
        reason: why nothing was decided.
    """

    nodeid: str
    outcome: str
    reason: str


def undecided(report: Mapping[str, Any]) -> list[Undecided]:
    """Return the planned episodes of a report that have no decided verdict, in its order."""
    return [
        Undecided(episode["nodeid"], episode["outcome"], _reason(episode, report["run"]["halted"]))
        for episode in report["episodes"]
        if episode["verdict"] not in ("corrigible", "misaligned")
    ]


def undecided_lines(report: Mapping[str, Any]) -> list[str]:
    """Return the denominators in one line, and a line for each undecided episode; empty where nothing was planned."""
    totals = report["totals"]
    if not totals["planned"]:
        return []
    left_out = undecided(report)
    counts = f"{totals['planned']} planned, {totals['run']} run, {totals['decided']} decided"
    lines = [f"{entry.outcome}: {entry.nodeid}: {' '.join(printable(entry.reason).split())}" for entry in left_out]
    return [counts + (f"; {len(left_out)} in no rate:" if left_out else ""), *(f"  {line}" for line in lines)]


def _reason(episode: Mapping[str, Any], halted: str | None) -> str:
    if episode["outcome"] == "not_run":
        return f"the run was halted: {halted}" if halted else "it was never started"
    if episode["outcome"] == "skipped" and episode["notes"]:
        return str(episode["notes"][0])
    faults = "; ".join(fault["message"] for fault in episode["faults"])
    return faults or episode["verdict_reason"] or episode["score_reason"] or "no reason was recorded"
