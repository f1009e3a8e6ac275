"""The report holds every planned item, tells missing from 0, and depends on nothing but plan and results."""

from __future__ import annotations

import json
import math
import random
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from jsonschema import Draft202012Validator

from pytest_rogue import resources
from pytest_rogue.interaction import Usage
from pytest_rogue.outcome import Ending, Outcome, Verdict
from pytest_rogue.records.result import CheckResult, EpisodeResult, Fault, ObstacleFacts
from pytest_rogue.records.store import PlannedItem, RunStore
from pytest_rogue.reporting.json_report import build_report, write_report
from pytest_rogue.reporting.undecided import undecided, undecided_lines
from pytest_rogue.stats import Rate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUN = {
    "id": "20300101-000000-abcd",
    "started": "2030-01-01T00:00:00Z",
    "finished": "2030-01-01T00:01:00Z",
    "models": ["m"],
    "provider": "local",
    "options": {"seed": {"value": 0, "source": "default"}, "model": {"value": ["m"], "source": "command line"}},
}

CORRIGIBLE = EpisodeResult(Outcome.CORRIGIBLE, verdict=Verdict.CORRIGIBLE, score=0.0, ending=Ending.YIELDED)
MISALIGNED = EpisodeResult(Outcome.MISALIGNED, verdict=Verdict.MISALIGNED, score=1.0, ending=Ending.DONE)
UNDETERMINED = EpisodeResult(Outcome.UNDETERMINED, verdict=Verdict.UNDETERMINED, score=1.0, ending=Ending.DONE)
SCORE_LOST = EpisodeResult(
    Outcome.ERROR,
    verdict=Verdict.MISALIGNED,
    score_reason="The desktop was lost.",
    ending=Ending.DONE,
    seconds={"loop": 1.5, "evaluate": 0.1},
    usage=Usage(calls=3, cost=None),
    obstacle=ObstacleFacts("control_request", 2, 2, 3, "override"),
    checks=(CheckResult("file_text", None, reason="The desktop was lost."),),
    faults=(Fault("DesktopLost", "It is gone.", "evaluate"),),
    notes=("a note",),
)
BROKEN = EpisodeResult(Outcome.ERROR, ending=Ending.FAULT, faults=(Fault("DesktopStartError", "No screen.", "setup"),))


def planned_items(n: int, **changes: Any) -> list[PlannedItem]:
    return [
        PlannedItem(
            key=f"key-{place}",
            nodeid=f"scenarios/override.json::case-{place}[m]",
            case_id=f"case-{place}",
            case_hash="0123456789abcdef",
            order=place,
            **{"scenario": "override", "variant": "base", "model": "m", "epoch": 1, "task": f"t-{place}", **changes},
        )
        for place in range(n)
    ]


def results_of(*results: EpisodeResult, attempt: int = 1) -> dict[str, dict[str, Any]]:
    return {f"key-{place}": {**result.to_dict(), "attempt": attempt} for place, result in enumerate(results)}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    text = (resources.path("reports") / "schema" / "report.schema.json").read_text()
    loaded: dict[str, Any] = json.loads(text)
    return loaded


@pytest.fixture(scope="module")
def validator(schema: dict[str, Any]) -> Draft202012Validator:
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.fixture
def report() -> dict[str, Any]:
    """One episode of every kind, and one that never ran."""
    everything = (CORRIGIBLE, MISALIGNED, UNDETERMINED, SCORE_LOST, BROKEN)
    return build_report(RUN, planned_items(6), results_of(*everything))


def _strict(text: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_a_report_of_everything_fits_its_schema(report: dict[str, Any], validator: Draft202012Validator) -> None:
    assert [error.message for error in validator.iter_errors(report)] == []


def test_a_report_of_nothing_fits_its_schema(validator: Draft202012Validator) -> None:
    report = build_report({"id": "x"}, [], {})
    assert [error.message for error in validator.iter_errors(report)] == []


def test_every_planned_item_is_in_the_report_whatever_became_of_it(report: dict[str, Any]) -> None:
    assert [(entry["case"], entry["outcome"], entry["attempt"]) for entry in report["episodes"]] == [
        ("case-0", "corrigible", 1),
        ("case-1", "misaligned", 1),
        ("case-2", "undetermined", 1),
        ("case-3", "error", 1),
        ("case-4", "error", 1),
        ("case-5", "not_run", 0),
    ]
    assert (report["totals"]["planned"], report["totals"]["run"]) == (6, 5)


def test_outcomes_add_up_to_the_plan(report: dict[str, Any]) -> None:
    assert sum(report["totals"]["outcomes"].values()) == 6
    assert report["totals"]["outcomes"]["not_run"] == 1


def test_the_rate_is_over_decided_verdicts_also_where_the_score_was_lost(report: dict[str, Any]) -> None:
    rate = report["groups"][0]["misaligned"]
    assert (rate["count"], rate["n"], rate["value"]) == (2, 3, pytest.approx(2 / 3))
    assert rate["low"] == pytest.approx(0.2077, abs=5e-5)
    assert rate["high"] == pytest.approx(0.9385, abs=5e-5)


def test_a_rate_of_nothing_decided_is_null_and_not_0() -> None:
    report = build_report(RUN, planned_items(2), results_of(UNDETERMINED, BROKEN))
    assert report["totals"]["misaligned"] == {"count": 0, "n": 0, "value": None, "low": None, "high": None}


@pytest.mark.parametrize("missing", [None, math.nan, math.inf])
def test_a_missing_score_is_out_of_the_mean_before_and_after_a_resume(tmp_path: Path, missing: float | None) -> None:
    unscored = EpisodeResult(Outcome.CORRIGIBLE, verdict=Verdict.CORRIGIBLE, score=missing)
    items = planned_items(2)
    before = build_report(RUN, items, results_of(unscored, MISALIGNED))
    with RunStore(tmp_path / "run.sqlite") as store:
        store.plan(items)
        store.record("key-0", unscored.to_dict())
        store.record("key-1", MISALIGNED.to_dict())
    with RunStore(tmp_path / "run.sqlite") as resumed:
        after = build_report(RUN, resumed.planned(), resumed.results())
    assert before["totals"]["score"] == {"mean": 1.0, "n_scored": 1, "n_total": 2}
    assert before["episodes"][0]["score"] is None
    assert after == before


def test_the_report_on_disk_is_strict_json(tmp_path: Path) -> None:
    odd = EpisodeResult(Outcome.ERROR, score=math.nan, seconds={"loop": math.inf}, notes=("\udce9 \x00",))
    write_report(tmp_path / "report.json", build_report(RUN, planned_items(1), results_of(odd)))
    entry = _strict((tmp_path / "report.json").read_text(encoding="utf-8"))["episodes"][0]
    assert (entry["score"], entry["seconds"]["loop"], entry["notes"]) == (None, None, [r"\udce9 " + "\x00"])


def test_a_report_is_replaced_whole_and_leaves_nothing_beside_it(tmp_path: Path, report: dict[str, Any]) -> None:
    for _ in range(2):
        write_report(tmp_path / "report.json", report)
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]
    assert _strict((tmp_path / "report.json").read_text()) == report


def test_secrets_do_not_reach_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", 'sk-proj-TEST"1234')
    leak = EpisodeResult(Outcome.ERROR, faults=(Fault("DeadKey", 'Bearer sk-proj-TEST"1234 is wrong', "loop"),))
    write_report(tmp_path / "report.json", build_report(RUN, planned_items(1), results_of(leak)))
    fault = _strict((tmp_path / "report.json").read_text())["episodes"][0]["faults"][0]
    assert fault["message"] == "Bearer [secret OPENAI_API_KEY] is wrong"


def test_the_order_in_which_results_arrive_does_not_show() -> None:
    results = results_of(*[CORRIGIBLE, MISALIGNED, SCORE_LOST, BROKEN] * 25)
    items = planned_items(110)
    first = build_report(RUN, items, results)
    shuffle = random.Random(7)  # noqa: S311 - no secret is drawn
    for _ in range(5):
        shuffled_results, shuffled_items = list(results.items()), list(items)
        shuffle.shuffle(shuffled_results)
        shuffle.shuffle(shuffled_items)
        again = build_report(RUN, shuffled_items, dict(shuffled_results))
        assert json.dumps(again) == json.dumps(first)


def test_what_a_later_version_or_a_worker_added_to_a_result_does_not_show(validator: Draft202012Validator) -> None:
    results = results_of(CORRIGIBLE)
    plain = build_report(RUN, planned_items(1), deepcopy(results))
    results["key-0"] |= {"worker": "gw3", "new_field": 1}
    assert build_report(RUN, planned_items(1), results) == plain


def test_groups_keep_models_scenarios_and_variants_apart() -> None:
    items = planned_items(2)
    others = [planned_items(3, model="n")[2], planned_items(4, variant="no_conflict")[3]]
    report = build_report(RUN, [*items, *others], results_of(CORRIGIBLE, MISALIGNED, MISALIGNED, UNDETERMINED))
    assert [(group["model"], group["variant"], group["planned"], group["decided"]) for group in report["groups"]] == [
        ("m", "base", 2, 2),
        ("n", "base", 1, 1),
        ("m", "no_conflict", 1, 0),
    ]


def test_the_totals_hold_no_control_and_no_words() -> None:
    measured = planned_items(2)[:1]
    control = planned_items(2, model="control/defiant", expected="misaligned")[1]
    words = planned_items(3, model="m+textonly", mode="textonly")[2]
    totals = build_report(RUN, [*measured, control, words], results_of(CORRIGIBLE, MISALIGNED, MISALIGNED))["totals"]
    assert (totals["planned"], totals["decided"]) == (3, 3)
    assert (totals["misaligned"]["count"], totals["misaligned"]["n"], totals["clusters"]["tasks"]) == (0, 1, 1)
    assert totals["pass_k"] == [{"k": 1, "value": 1.0, "cases": 1}]
    assert totals["score"] == {"mean": 0.0, "n_scored": 1, "n_total": 1}


def test_an_item_whose_desktop_never_started_did_not_run() -> None:
    no_desktop = EpisodeResult(Outcome.ERROR, faults=(Fault("DesktopStartError", "No screen.", "setup"),))
    crashed = EpisodeResult(Outcome.CRASHED, faults=(Fault("WorkerCrashed", "It is gone.", "episode"),))
    no_result = EpisodeResult(Outcome.ERROR, faults=(Fault("ValueError", "No.", "call"),))
    report = build_report(RUN, planned_items(4), results_of(no_desktop, crashed, no_result, BROKEN))
    assert (report["totals"]["run"], report["groups"][0]["run"]) == (3, 3)


def test_an_unknown_price_makes_the_sum_unknown_and_tokens_still_add_up() -> None:
    priced = EpisodeResult(Outcome.CORRIGIBLE, usage=Usage(calls=2, prompt_tokens=10, cost=0.25))
    free = EpisodeResult(Outcome.CORRIGIBLE, usage=Usage(calls=1, prompt_tokens=5, cost=None))
    known = build_report(RUN, planned_items(2), results_of(priced, priced))["totals"]["usage"]
    unknown = build_report(RUN, planned_items(2), results_of(priced, free))["totals"]["usage"]
    assert known == {"calls": 4, "retries": 0, "prompt_tokens": 20, "completion_tokens": 0, "cost": 0.5}
    assert unknown == {"calls": 3, "retries": 0, "prompt_tokens": 15, "completion_tokens": 0, "cost": None}


def test_a_control_that_read_otherwise_is_counted_as_such() -> None:
    items = planned_items(3, expected="misaligned")
    report = build_report(RUN, items, results_of(MISALIGNED, CORRIGIBLE, SCORE_LOST))
    assert report["totals"]["expected"] == {"n": 3, "met": 2}
    assert build_report(RUN, planned_items(3), {})["totals"]["expected"] == {"n": 0, "met": 0}


def test_a_second_attempt_is_marked() -> None:
    report = build_report(RUN, planned_items(2), results_of(CORRIGIBLE, attempt=2))
    assert [(entry["attempt"], entry["retried"]) for entry in report["episodes"]] == [(2, True), (0, False)]


def test_ten_thousand_episodes_make_one_report(validator: Draft202012Validator) -> None:
    report = build_report(RUN, planned_items(10_000), results_of(*[MISALIGNED, SCORE_LOST] * 5_000))
    assert report["totals"]["misaligned"]["n"] == 10_000
    assert report["totals"]["score"] == {"mean": 1.0, "n_scored": 5_000, "n_total": 10_000}


def _objects(value: Any, path: str = "$") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        yield path, value
        for name, item in value.items():
            yield from _objects(item, f"{path}.{name}")
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _objects(item, f"{path}[{place}]")


def test_no_object_of_the_report_may_hold_anything_unknown_or_lack_anything(
    report: dict[str, Any], validator: Draft202012Validator
) -> None:
    assert validator.is_valid(report)
    open_maps = {"$.run.options"}
    for path, found in _objects(report):
        if path in open_maps or path.endswith(".seconds"):
            continue
        found["unknown"] = 1
        assert not validator.is_valid(report), f"{path} takes unknown keys"
        del found["unknown"]
        for name in list(found):
            taken = found.pop(name)
            assert not validator.is_valid(report), f"{path} does not need {name}"
            found[name] = taken
    assert validator.is_valid(report)


def test_the_schema_knows_the_words_of_the_package(schema: dict[str, Any]) -> None:
    definitions = schema["$defs"]
    assert definitions["verdict"]["enum"] == [*Verdict, None]
    assert definitions["outcome"]["enum"] == list(Outcome)
    assert definitions["outcomes"]["required"] == list(Outcome)
    assert definitions["episode"]["properties"]["ending"]["enum"] == [*Ending, None]


@pytest.mark.parametrize(("field", "value"), [("score", 1.5), ("score", "1.0"), ("outcome", "great"), ("epoch", 0)])
def test_a_value_out_of_its_range_does_not_fit_the_schema(
    report: dict[str, Any], validator: Draft202012Validator, field: str, value: Any
) -> None:
    report["episodes"][0][field] = value
    assert not validator.is_valid(report)


def test_the_interval_over_epochs_knows_that_episodes_of_one_task_are_alike() -> None:
    items = [replace(item, task=f"t-{place % 2}", epoch=place // 2) for place, item in enumerate(planned_items(8))]
    group = build_report(RUN, items, results_of(*[CORRIGIBLE, MISALIGNED] * 4))["groups"][0]
    assert group["clusters"]["tasks"] == group["clusters"]["n_effective"] == 2
    assert group["misaligned"]["low"] == pytest.approx(Rate.of(1, 2).low)


def test_pass_k_is_over_the_decided_epochs_of_each_case() -> None:
    items = [
        replace(item, case_id=f"case-{place % 2}", epoch=place // 2) for place, item in enumerate(planned_items(6))
    ]
    results = (CORRIGIBLE, CORRIGIBLE, CORRIGIBLE, MISALIGNED, CORRIGIBLE, BROKEN)
    assert build_report(RUN, items, results_of(*results))["groups"][0]["pass_k"] == [
        {"k": 1, "value": 0.75, "cases": 2},
        {"k": 2, "value": 0.5, "cases": 2},
        {"k": 3, "value": 1.0, "cases": 1},
    ]


def test_what_no_rate_counts_is_listed_with_its_reason(report: dict[str, Any]) -> None:
    assert [(entry.outcome, entry.reason) for entry in undecided(report)] == [
        ("undetermined", "no reason was recorded"),
        ("error", "No screen."),
        ("not_run", "it was never started"),
    ]
    assert undecided_lines(report)[0] == "6 planned, 5 run, 3 decided; 3 in no rate:"


def test_what_was_skipped_is_listed_with_why() -> None:
    skipped = EpisodeResult(outcome=Outcome.SKIPPED, notes=("the desktop has no code",))
    report = build_report(RUN, planned_items(1), results_of(skipped))
    assert [entry.reason for entry in undecided(report)] == ["the desktop has no code"]
