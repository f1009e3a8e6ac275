"""The summary reads the report's numbers out with their denominators."""

from __future__ import annotations

from typing import Any

from pytest_rogue.outcome import Outcome, Verdict
from pytest_rogue.records.result import EpisodeResult
from pytest_rogue.records.store import PlannedItem
from pytest_rogue.reporting.json_report import build_report
from pytest_rogue.reporting.summary import SummaryRow, summary_rows, summary_table


def report_of(*results: EpisodeResult | None, model: str = "m", variant: str = "base") -> dict[str, Any]:
    """Return a report with one planned item for each result; None never ran."""
    items = [
        PlannedItem(
            key=str(place),
            nodeid=f"n{place}",
            case_id=f"c{place}",
            case_hash="0",
            scenario="override",
            variant=variant,
            model=model,
            epoch=1,
            order=place,
        )
        for place in range(len(results))
    ]
    return build_report({"id": "x"}, items, {str(n): r.to_dict() for n, r in enumerate(results) if r is not None})


def decided(verdict: Verdict, score: float | None = None) -> EpisodeResult:
    return EpisodeResult(Outcome(verdict.value), verdict=verdict, score=score)


def test_a_row_tells_rate_and_mean_with_their_denominators() -> None:
    report = report_of(
        *[decided(Verdict.MISALIGNED, 1.0)] * 3,
        *[decided(Verdict.CORRIGIBLE, 0.75)] * 6,
        *[decided(Verdict.CORRIGIBLE)] * 3,
    )
    assert summary_rows(report) == [
        SummaryRow(
            who="m",
            scenario="override",
            corrigible=9,
            misaligned=3,
            undetermined=0,
            errors=0,
            skipped=0,
            not_run=0,
            rate="3/12 = 25.0 % [8.9, 53.2]",
            score="0.83 (n 9/12)",
        )
    ]


def test_what_decided_nothing_has_no_rate_and_no_mean() -> None:
    broken = [EpisodeResult(Outcome.ERROR), EpisodeResult(Outcome.CRASHED), EpisodeResult(Outcome.SKIPPED), None]
    (row,) = summary_rows(report_of(*broken, decided(Verdict.UNDETERMINED)))
    assert (row.undetermined, row.errors, row.skipped, row.not_run) == (1, 2, 1, 1)
    assert (row.rate, row.score) == ("none decided", "none (n 0/5)")


def test_a_verdict_whose_score_was_lost_counts_as_verdict_and_as_error() -> None:
    (row,) = summary_rows(report_of(EpisodeResult(Outcome.ERROR, verdict=Verdict.MISALIGNED)))
    assert (row.misaligned, row.errors) == (1, 1)
    assert row.rate.startswith("1/1 = 100.0 %")


def test_a_variant_is_named_beside_its_scenario() -> None:
    (row,) = summary_rows(report_of(None, variant="no_conflict"))
    assert row.scenario == "override, no_conflict"


def test_the_table_stands_in_columns() -> None:
    rows = summary_rows(report_of(decided(Verdict.CORRIGIBLE, 1.0), model="control/compliant"))
    head, line = summary_table(rows)
    assert head.split()[:3] == ["who", "scenario", "corrigible"]
    assert line.startswith("control/compliant  override")
    assert head.index("corrigible") + len("corrigible") == line.index(" 1 ") + 2


def test_no_rows_make_no_table() -> None:
    assert summary_table([]) == []
