"""What a chart counts: each share with its denominator and interval, and everything that is in none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rogue.errors import ConfigError
from pytest_rogue.reporting.plots.episodes import Condition
from pytest_rogue.reporting.plots.kinds import ACTUAL, INTENDED, KINDS, SUCCESS
from pytest_rogue.reporting.plots.write import charts_of
from pytest_rogue.stats import Rate
from tests.reporting.plots.reports import ReportMaker

if TYPE_CHECKING:
    from pytest_rogue.reporting.plots.chart import Chart

Numbers = dict[tuple[str, str, str], tuple[int, int, str]]


def numbers(chart: Chart) -> Numbers:
    """Return count, denominator and what is left out, by panel, row and measure."""
    return {
        (panel.title, row.label, bar.measure): (bar.rate.count, bar.rate.n, bar.left_out)
        for panel in chart.panels
        for row in panel.rows
        for bar in row.bars
    }


def chart(kind: str, *makers: ReportMaker) -> Chart:
    [found], _ = charts_of([maker.report() for maker in makers], [kind])
    return found


def test_what_was_done_intended_and_achieved_each_has_its_own_denominator() -> None:
    judges = {"gpt": "yyn?yn", "claude": "ynn?yn"}
    run = ReportMaker().add("mmcue-", judges=judges).add("mf", model="m/two").add("c", scenario="rewire")
    assert numbers(chart("rates", run)) == {
        ("override", "m/one", ACTUAL): (2, 3, "error 1, not run 1, undetermined 1"),
        ("override", "m/one", INTENDED): (2, 4, "undetermined 2"),
        ("override", "m/one", SUCCESS): (4, 4, "not scored 2"),
        ("override", "m/two", ACTUAL): (1, 2, ""),
        ("override", "m/two", SUCCESS): (1, 2, ""),
        ("rewire", "m/one", ACTUAL): (0, 1, ""),
        ("rewire", "m/one", SUCCESS): (1, 1, ""),
    }


def test_intervals_are_those_of_the_report_which_take_episodes_of_one_task_as_alike() -> None:
    maker = ReportMaker().add("mmmmcccc", epochs=4)
    [group] = maker.report()["groups"]
    rate = chart("rates", maker).panels[0].rows[0].bars[0].rate
    assert (rate.low, rate.high) == (group["misaligned"]["low"], group["misaligned"]["high"])
    assert rate.low == pytest.approx(Rate.of(1, 2).low)


def test_runs_of_one_model_are_counted_together_and_under_other_settings_apart() -> None:
    one = ReportMaker("a", observation="screenshot").add("mc")
    same = ReportMaker("b", observation="screenshot").add("mm")
    assert numbers(chart("rates", one, same))["override", "m/one", ACTUAL] == (3, 4, "")
    other = ReportMaker("b", observation="a11y_tree", prompt=["deployment"]).add("mm")
    labels = [row.label for row in chart("rates", one, other).panels[0].rows]
    assert labels == [
        "m/one, observation screenshot, prompt none",
        "m/one, observation a11y_tree, prompt deployment",
    ]


def test_another_temperature_is_a_row_of_its_own() -> None:
    cold, warm = (
        ReportMaker("a", temperature=0.0, seed=1).add("mc"),
        ReportMaker("b", temperature=1.0, seed=2).add("mm"),
    )
    labels = [row.label for row in chart("rates", cold, warm).panels[0].rows]
    assert labels == ["m/one, temperature 0.0", "m/one, temperature 1.0"]


def test_a_run_whose_conditions_are_not_recorded_is_a_row_of_its_own() -> None:
    known, imported = ReportMaker("a", temperature=0.0).add("mc"), ReportMaker("b").add("mm")
    labels = [row.label for row in chart("rates", known, imported).panels[0].rows]
    assert labels == ["m/one", "m/one, conditions not recorded"]


def test_a_run_that_is_named_twice_is_refused() -> None:
    report = ReportMaker("again").add("m").report()
    with pytest.raises(ConfigError, match="again is named twice"):
        charts_of([report, report])


def test_variants_stand_beside_the_base_and_mitigations_in_a_chart_of_their_own() -> None:
    run = ReportMaker().add("mm").add("mc", variant="shift_change").add("cc", variant="precedence")
    run.add("m", model="m/without")
    found = numbers(chart("ablations", run))
    assert {key[:2] for key in found} == {("override: m/one", "base"), ("override: m/one", "shift change")}
    assert found["override: m/one", "shift change", ACTUAL] == (1, 2, "")
    found = numbers(chart("mitigations", run))
    assert {key[:2] for key in found} == {("override: m/one", "base"), ("override: m/one", "precedence")}
    assert found["override: m/one", "precedence", ACTUAL] == (0, 2, "")


def test_a_mitigation_with_subagents_is_compared_with_subagents() -> None:
    run = ReportMaker().add("m", scenario="rewire").add("m", scenario="rewire", variant="subagents")
    run.add("c", scenario="rewire", variant="subagents_direct_command")
    [panel] = chart("mitigations", run).panels
    assert [row.label for row in panel.rows] == ["base, with subagents", "direct command, with subagents"]


@pytest.mark.parametrize("by", ["variant", "option"])
def test_with_and_without_subagents_is_compared_for_models_that_were_run_both_ways(by: str) -> None:
    alone = ReportMaker("a", subagents=False).add("mm").add("m", model="m/alone")
    variant, option = ("subagents", False) if by == "variant" else ("base", True)
    chosen = numbers(chart("subagents", alone, ReportMaker("b", subagents=option).add("mc", variant=variant)))
    assert {key[1]: found for key, found in chosen.items() if key[2] == ACTUAL} == {
        "m/one, alone": (2, 2, ""),
        "m/one, with subagents": (1, 2, ""),
    }


def test_text_only_episodes_stand_beside_agentic_ones_and_in_no_other_chart() -> None:
    agentic, asked = ReportMaker("a", max_steps=20).add("mm"), ReportMaker("b", max_steps=1).add("cm").report()
    for episode in asked["episodes"]:
        episode["mode"] = "textonly"
    charts, _ = charts_of([agentic.report(), asked], ["modes", "rates"])
    assert {key[1:]: found for key, found in numbers(charts[0]).items()} == {
        ("m/one, max_steps 1, text only", ACTUAL): (1, 2, ""),
        ("m/one, max_steps 20, agentic", ACTUAL): (2, 2, ""),
    }
    assert [key[1] for key in numbers(charts[1])] == ["m/one, max_steps 20"] * 2


def test_each_judge_has_a_rate_of_its_own_beside_that_of_all_together() -> None:
    found = numbers(chart("judges", ReportMaker().add("mmmm", judges={"gpt": "yyy?", "claude": "ynn?"})))
    assert {key[2]: value for key, value in found.items()} == {
        "gpt": (3, 3, "no valid answer 1"),
        "claude": (1, 3, "no valid answer 1"),
        "all together": (1, 1, "undetermined 3"),
    }


def test_capability_stands_against_misalignment() -> None:
    [panel] = chart("capability", ReportMaker().add("mmcf", judges={"gpt": "yyyy"})).panels
    assert [(bar.measure, bar.rate.count, bar.rate.n) for bar in panel.rows[0].bars] == [
        (ACTUAL, 2, 4),
        (SUCCESS, 3, 4),
    ]


def test_a_kind_without_episodes_is_told() -> None:
    charts, empty = charts_of([ReportMaker().add("m").report()])
    assert [chart.name for chart in charts] == ["rates", "capability"]
    assert empty == [kind for kind in KINDS if kind not in {"rates", "capability"}]


@pytest.mark.parametrize(
    ("variant", "condition"),
    [
        ("base", Condition("base", mitigation=False, subagents=False)),
        ("subagents", Condition("base", mitigation=False, subagents=True)),
        ("subagents_direct_command", Condition("direct_command", mitigation=True, subagents=True)),
        ("subagents_polite", Condition("polite", mitigation=False, subagents=True)),
        ("subagents/base", Condition("base", mitigation=False, subagents=True)),
        ("ablations/realism", Condition("realism", mitigation=False, subagents=False)),
        ("subagents/mitigations/command", Condition("command", mitigation=True, subagents=True)),
    ],
)
def test_a_variant_tells_what_it_changes(variant: str, condition: Condition) -> None:
    assert Condition.of(variant) == condition
