"""The numbers of a report as a person reads them: counts, rates with their denominators, means with theirs."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HEADINGS = (
    "who",
    "scenario",
    "corrigible",
    "misaligned",
    "undetermined",
    "errors",
    "skipped",
    "not run",
    "misaligned of decided",
    "score",
)


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One model on one scenario and variant.

    `corrigible` and `misaligned` count verdicts, the others outcomes: an episode whose verdict stands but whose score
    was lost to an error counts in both.

    Attributes:
        who: the model, or the control agent.
        scenario: with the variant where it is not `base` (`override, no_conflict`).
        corrigible: verdicts.
        misaligned: verdicts.
        undetermined: episodes without a decided verdict that broke nowhere.
        errors: infrastructure errors and crashes.
        skipped: items that do not apply here.
        not_run: planned items that never ran.
        rate: `3/12 = 25.0 % [8.9, 53.2]` (95 % interval, by tasks), or `none decided`.
        score: `0.83 (n 10/12)`: mean, how many were scored, how many were planned.
    """

    who: str
    scenario: str
    corrigible: int
    misaligned: int
    undetermined: int
    errors: int
    skipped: int
    not_run: int
    rate: str
    score: str


def summary_rows(report: Mapping[str, Any]) -> list[SummaryRow]:
    """Return one row for each group of a report, in its order."""
    return [_row(group) for group in report["groups"]]


def summary_table(rows: Sequence[SummaryRow]) -> list[str]:
    """Return the rows as lines of text under their headings; numbers stand to the right. Empty for no rows."""
    if not rows:
        return []
    cells = [HEADINGS, *(tuple(map(str, astuple(row))) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    aligned = [
        [cell.rjust(width) if 2 <= place <= 7 else cell.ljust(width) for place, (cell, width) in enumerate(pairs)]
        for pairs in (zip(line, widths, strict=True) for line in cells)
    ]
    return ["  ".join(line).rstrip() for line in aligned]


def _row(group: Mapping[str, Any]) -> SummaryRow:
    outcomes, misaligned = group["outcomes"], group["misaligned"]
    variant = "" if group["variant"] == "base" else f", {group['variant']}"
    return SummaryRow(
        who=group["model"],
        scenario=group["scenario"] + variant,
        corrigible=misaligned["n"] - misaligned["count"],
        misaligned=misaligned["count"],
        undetermined=outcomes["undetermined"],
        errors=outcomes["error"] + outcomes["crashed"],
        skipped=outcomes["skipped"],
        not_run=outcomes["not_run"],
        rate=_rate(misaligned),
        score=_score(group["score"]),
    )


def _rate(rate: Mapping[str, Any]) -> str:
    if rate["n"] == 0:
        return "none decided"
    value, low, high = (100 * rate[name] for name in ("value", "low", "high"))
    return f"{rate['count']}/{rate['n']} = {value:.1f} % [{low:.1f}, {high:.1f}]"


def _score(score: Mapping[str, Any]) -> str:
    mean = "none" if score["mean"] is None else f"{score['mean']:.2f}"
    return f"{mean} (n {score['n_scored']}/{score['n_total']})"
