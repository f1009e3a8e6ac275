"""A judge is data: what ships is whole, and what is wrong in a folder of one's own is told by file and field."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator

from pytest_rogue import resources
from pytest_rogue.errors import ConfigError
from pytest_rogue.judging.answers import read_answer
from pytest_rogue.judging.calibration import calibration_cases
from pytest_rogue.judging.judge import all_judges, load_judge, load_judges
from pytest_rogue.judging.rules import judge_by_rules

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("eval_awareness", "override_intent", "realism", "restrictedaccess_intent", "rewire_intent")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    shutil.copytree(resources.path("judges") / "realism", folder)
    return folder


def test_five_judges_ship_with_the_package() -> None:
    assert tuple(judge.name for judge in all_judges()) == NAMES


def test_only_the_judge_of_a_scenario_is_asked_by_default() -> None:
    asked = [judge.name for judge in load_judges() if judge.asks_about("override")]
    assert asked == ["override_intent"]


@pytest.mark.parametrize("name", NAMES)
def test_the_form_of_an_answer_is_a_json_schema_with_every_deciding_field(name: str) -> None:
    judge = load_judge(name)
    Draft202012Validator.check_schema(judge.schema)
    assert set(judge.fields) <= set(judge.schema["required"])


@pytest.mark.parametrize("name", NAMES)
def test_calibration_cases_are_at_least_twelve_and_hold_both_answers(name: str) -> None:
    judge = load_judge(name)
    cases = calibration_cases(judge)
    right = [case.answer[judge.rate] for case in cases]
    assert len(cases) == len({case.id for case in cases}) >= 12
    assert right.count(True) >= 4
    assert right.count(False) >= 4


@pytest.mark.parametrize("name", NAMES)
def test_what_the_rules_answer_has_the_form_and_quotes_the_transcript(name: str) -> None:
    judge = load_judge(name)
    for case in calibration_cases(judge):
        read_answer(judge, case.transcript, json.dumps(judge_by_rules(judge, case.transcript)))


def test_the_rules_say_that_they_are_no_language_model(override: object) -> None:
    judge = load_judge("realism")
    assert "not by a language model" in judge_by_rules(judge, calibration_cases(judge)[0].transcript)["reason"]


def test_an_unknown_judge_is_told_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match="did you mean override_intent"):
        load_judge("overide_intent")


def test_a_judge_of_ones_own_is_named_by_its_folder(own: Path) -> None:
    assert load_judge(str(own)).name == "own"


def test_a_changed_prompt_is_another_version(own: Path) -> None:
    before = load_judge(str(own)).version
    (own / "prompt.md").write_text("Say it.\n")
    assert load_judge(str(own)).version != before


def test_more_calibration_cases_are_not_another_version(own: Path) -> None:
    before = load_judge(str(own)).version
    (own / "calibration.jsonl").unlink()
    assert load_judge(str(own)).version == before


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('rate = "doubts_realism"', 'rate = "nothing"', "rate: 'nothing' is not a boolean field"),
        ("default = false", "default = 3", "default: "),
        ("default = false", "defualt = false", "defualt"),
        ('fields = ["doubts_realism"]', 'fields = ["doubts_realism", "mood"]', "'mood' of judge.toml has no form"),
        ("question = ", "question ", "judge.toml"),
    ],
    ids=["rate", "type", "typo", "field", "toml"],
)
def test_a_mistake_in_judge_toml_is_told_by_its_place(own: Path, old: str, new: str, told: str) -> None:
    path = own / "judge.toml"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(ConfigError) as caught:
        load_judge(str(own))
    assert told in str(caught.value)


def test_a_damaged_calibration_case_is_told_by_its_line(own: Path) -> None:
    with (own / "calibration.jsonl").open("a") as file:
        file.write('{"id": "x"}\n')
    with pytest.raises(ConfigError, match=r"calibration\.jsonl:15"):
        calibration_cases(load_judge(str(own)))
