"""What the report says of the judges: rates with denominators, agreement, measured error, people's labels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from pytest_rogue import resources
from pytest_rogue.errors import ConfigError
from pytest_rogue.judging.asking import ATTEMPTS
from pytest_rogue.judging.calibration import calibration_episodes, measured_error
from pytest_rogue.judging.commands import _labels
from pytest_rogue.judging.coverage import Cache
from pytest_rogue.judging.run import judge_run, plan_of, recorded_episodes, rewrite_report
from pytest_rogue.judging.session import judge_episodes
from pytest_rogue.judging.table import judgment_lines
from pytest_rogue.judging.targets import Target, target_named
from pytest_rogue.models.client import Reply
from pytest_rogue.records.judgments import JudgmentStore
from pytest_rogue.stats import wilson
from tests.judging.recorded import ACCEPTS, OVERRIDES, Turn, answer, record_run

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.judging.judge import Judge
    from pytest_rogue.models.client import ModelClient
    from pytest_rogue.records.run_folder import RunFolder

GPT = Target("openai/gpt", "openai/gpt")


class Always:
    """A model that gives one answer to everything."""

    def __init__(self, reply: str) -> None:
        self._reply = reply

    def complete(self, messages: Any, *, max_tokens: int | None = None, tools: Any = ()) -> Reply:
        return Reply(self._reply)


def always(reply: str) -> Any:
    def make(_: Target) -> ModelClient:
        return Always(reply)

    return make


@pytest.fixture
def mixed(tmp_path: Path) -> RunFolder:
    """Return a run with two episodes that override, one that accepts, and an empty one."""
    words = [OVERRIDES, OVERRIDES, ACCEPTS]
    return record_run(tmp_path / "runs", [*([Turn(w, code=f"click({n})")] for n, w in enumerate(words)), []])


def block_of(run: RunFolder, *targets: str, convention: str = "panel") -> dict[str, Any]:
    plan = plan_of(run.path.parent, targets=targets, convention=convention, mode="cache_only")
    return judge_run(run.store, recorded_episodes(run), plan)


def test_the_block_is_as_the_schema_of_the_report_has_it(mixed: RunFolder) -> None:
    schema = json.loads((resources.path("reports") / "schema" / "report.schema.json").read_text())
    report = rewrite_report(mixed, block_of(mixed, "rules", "openai/gpt"))
    Draft202012Validator(schema).validate(report)
    assert json.loads(mixed.report.read_text()) == report


def test_a_rate_is_over_the_decided_and_the_rest_is_counted_beside_it(mixed: RunFolder) -> None:
    [judge] = block_of(mixed, "rules")["judges"]
    [group] = judge["groups"]
    assert (group["rate"]["count"], group["rate"]["n"]) == (2, 3)
    assert (group["episodes"], group["undetermined"], group["not_judged"]) == (4, 0, 1)


def test_the_interval_of_a_rate_takes_episodes_of_one_task_as_alike(mixed: RunFolder) -> None:
    [judge] = block_of(mixed, "rules")["judges"]
    [group] = judge["groups"]  # all of its episodes are of one task
    assert (group["rate"]["low"], group["rate"]["high"]) == pytest.approx(wilson(2 / 3, 1))


def test_an_answer_that_is_missing_is_undetermined_and_never_a_no(mixed: RunFolder) -> None:
    [judge] = block_of(mixed, "openai/gpt")["judges"]
    [group] = judge["groups"]
    assert (group["rate"]["n"], group["rate"]["value"], group["undetermined"]) == (0, None, 3)


def test_by_the_published_convention_a_missing_answer_is_a_no(mixed: RunFolder) -> None:
    [judge] = block_of(mixed, "openai/gpt", "rules", convention="upstream")["judges"]
    [group] = judge["groups"]
    assert (group["rate"]["count"], group["rate"]["n"]) == (0, 4)


def test_usage_counts_replies_that_were_no_answer(mixed: RunFolder, override: Judge) -> None:
    with JudgmentStore(mixed.store) as store:
        judge_episodes(recorded_episodes(mixed), [override], [GPT], store, make_client=always("I cannot say."))
        judge_episodes(recorded_episodes(mixed), [override], [GPT], store, make_client=always(answer("neither")))
    assert block_of(mixed, "openai/gpt")["usage"]["calls"] == 3 * (ATTEMPTS + 1)


def test_two_judges_that_disagree_are_told_with_their_agreement(mixed: RunFolder, override: Judge) -> None:
    with JudgmentStore(mixed.store) as store:
        judge_episodes(recorded_episodes(mixed), [override], [GPT], store, make_client=always(answer("neither")))
    [judge] = block_of(mixed, "openai/gpt", "rules")["judges"]
    assert judge["groups"][0]["undetermined"] == 3
    choice = judge["agreement"][0]
    assert (choice["field"], choice["n"], choice["percent"]) == ("final_popup_choice", 3, 0.0)


def test_the_rate_carries_the_measured_error_of_the_judge(mixed: RunFolder) -> None:
    [judge] = block_of(mixed, "rules")["judges"]
    [error] = judge["errors"]
    assert (error["target"], error["sensitivity"]["n"] + error["specificity"]["n"]) == ("rules", error["cases"])
    assert any("measured error of rules" in line for line in judgment_lines(block_of(mixed, "rules")))


def test_a_target_that_was_never_calibrated_is_said_to_be_so(mixed: RunFolder) -> None:
    lines = judgment_lines(block_of(mixed, "openai/gpt"))
    assert any("openai/gpt was never calibrated" in line for line in lines)


def test_calibration_finds_what_a_judge_that_always_says_no_is_worth(tmp_path: Path, override: Judge) -> None:
    with JudgmentStore(tmp_path / "c.sqlite") as store:
        judged = judge_episodes(
            calibration_episodes(override), [override], [GPT], store, make_client=always(answer("neither"))
        )
    [error] = measured_error(override, [GPT], judged.cache)
    assert (error.sensitivity.value, error.specificity.value) == (0.0, 1.0)
    assert error.matrix["final_popup_choice"]["override", "neither"] == error.sensitivity.n


def test_the_error_of_a_panel_is_measured_over_what_it_decides(tmp_path: Path, override: Judge) -> None:
    with JudgmentStore(tmp_path / "c.sqlite") as store:
        judged = judge_episodes(
            calibration_episodes(override), [override], [GPT], store, make_client=always(answer("neither"))
        )
    errors = measured_error(override, [GPT, target_named("rules")], judged.cache)
    assert [error.target for error in errors] == ["openai/gpt", "rules", "panel"]
    assert errors[2].answered < errors[1].answered


def test_a_panel_with_a_member_that_was_never_calibrated_has_no_measured_error(override: Judge) -> None:
    errors = measured_error(override, [GPT, target_named("rules")], Cache())
    assert [error.target for error in errors] == ["rules"]


def label(run: RunFolder, *lines: str) -> dict[str, Any]:
    from argparse import Namespace

    headings = "episode,judge,person,final_popup_choice,intent_override,intent_accept"
    path = run.path.parent / "labels.csv"
    path.write_text("\n".join([headings, *lines]) + "\n")
    _labels(Namespace(run=str(run.path), report_dir=run.path.parent, file=path, judge=[], target=[]))
    report: dict[str, Any] = json.loads(run.report.read_text())
    return report


def test_labels_of_people_are_compared_with_each_target_and_the_panel(
    mixed: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        "scenarios/override.json::case-0[m],override_intent,p1,override,yes,no",
        "scenarios/override.json::case-2[m],override_intent,p1,override,yes,no",
    ]
    report = label(mixed, *lines)
    found = {
        (row["target"], row["field"]): (row["n"], row["percent"]) for row in report["judgments"]["judges"][0]["human"]
    }
    assert found["rules", "intent_override"] == found["panel", "intent_override"] == (2, 0.5)
    assert "2 of 2 labels are new" in capsys.readouterr().out
    label(mixed, *lines)
    assert "0 of 2 labels are new" in capsys.readouterr().out


def test_labels_are_compared_where_upstream_counts_a_missing_answer_as_no(mixed: RunFolder) -> None:
    label(mixed, "scenarios/override.json::case-0[m],override_intent,p1,override,yes,no")
    [judge] = block_of(mixed, "openai/gpt", "rules", convention="upstream")["judges"]
    found = {(row["target"], row["field"]): (row["n"], row["percent"]) for row in judge["human"]}
    assert found["panel", "intent_override"] == (1, 0.0)
    assert found["panel", "final_popup_choice"] == found["openai/gpt", "intent_override"] == (0, None)


def test_the_last_label_of_a_person_counts(mixed: RunFolder) -> None:
    line = "scenarios/override.json::case-0[m],override_intent,p1,{},{},{}"
    for words in (("override", "yes", "no"), ("accept", "no", "yes"), ("override", "yes", "no")):
        report = label(mixed, line.format(*words))
    found = [row for row in report["judgments"]["judges"][0]["human"] if row["target"] == "rules"]
    assert {row["percent"] for row in found} == {1.0}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("nowhere,override_intent,p1,override,yes,no", "no such episode"),
        ("scenarios/override.json::case-0[m],overide,p1,override,yes,no", "no judge 'overide'"),
        ("scenarios/override.json::case-0[m],override_intent,,override,yes,no", "person is missing"),
        ("scenarios/override.json::case-0[m],override_intent,p1,maybe,yes,no", "final_popup_choice"),
        ("scenarios/override.json::case-0[m],override_intent,p1,override,,no", "intent_override"),
    ],
)
def test_a_wrong_label_is_told_by_its_line_and_none_is_stored(mixed: RunFolder, line: str, told: str) -> None:
    good = "scenarios/override.json::case-0[m],override_intent,p1,override,yes,no"
    with pytest.raises(ConfigError) as caught:
        label(mixed, good, line)
    assert told in str(caught.value)
    assert "labels.csv:3" in str(caught.value)
    with JudgmentStore(mixed.store) as store:
        assert store.all() == ()
