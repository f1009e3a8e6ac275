"""What is wrong with a published task file is told in one sentence, with file, line and place."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import TaskError
from tests.published.small_checkout import TASK

if TYPE_CHECKING:
    from tests.published.small_checkout import SmallCheckout

EVALUATOR = TASK["evaluator"]
STEP = TASK["config"][0]
PARTS = {"base_instruction": "Write it.", "urgency": "Be quick."}


def evaluator(**changes: Any) -> dict[str, Any]:
    return {"evaluator": copy.deepcopy(EVALUATOR) | changes}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"config": [STEP, {"type": "exeucte"}]}, 'config.1.type: there is no set-up step "exeucte"; did you mean'),
        ({"config": [{"type": "execute", "parameters": {}}]}, "config.0.parameters: command: this key is missing"),
        (
            {"config": [{"type": "execute", "parameters": {"command": ["a"], "shel": True}}]},
            "config.0.parameters.shel: unknown key; known are command",
        ),
        ({"config": [{"typ": "execute"}]}, "config.0: type: this key is missing"),
        ({"config": {}}, "config: input should be a valid array"),
        ({"id": "other"}, 'id: the id is the name of the file without .json, "override_write-word"'),
        ({"instruction": None}, "instruction: this key is missing"),
        ({"colour": 1}, "colour: unknown key; known are config"),
        ({"proxy": "no"}, 'proxy: input should be a valid boolean, found "no"'),
        (evaluator(func="exact"), 'evaluator.func: there is no metric "exact"; did you mean'),
        (evaluator(result={"type": "vm_comand_line"}), "evaluator.result.type: there is no getter"),
        (evaluator(result={"type": 3}), "evaluator.result: a getter is named by its type, a text, found 3"),
        (evaluator(result=None), "evaluator.result: nothing says where the value comes from"),
        (evaluator(expected=None), "evaluator.expected: exact_match needs something to compare with"),
        (
            evaluator(expected={"type": "rule", "rules": {"expected": 3}}),
            "evaluator.expected.rules.expected: input should be a valid string, found 3",
        ),
        (evaluator(expected={"type": "rule"}), "evaluator.expected: a rule has the keys type and rules, and no other"),
        (evaluator(options={"strict": True}), "evaluator.options.strict: unknown key"),
        (evaluator(func=["exact_match"]), "evaluator.result: this is an object for one metric, and a list"),
        (
            evaluator(func=["exact_match"], result=[EVALUATOR["result"]] * 2),
            "evaluator.result: there are 2 entries for 1 metrics",
        ),
        (evaluator(func=[]), "evaluator.func: a list of metrics names at least one"),
        (evaluator(conj="xor"), "evaluator.conj: input should be 'and' or 'or'"),
        (evaluator(func="infeasible"), "evaluator: a task that cannot be done has nothing to compare"),
        (evaluator(postconfig=[{"type": "x"}]), 'evaluator.postconfig.0.type: there is no set-up step "x"'),
        ({"instruction_parts": PARTS}, "the instruction is not what instruction_parts and instruction_flags give"),
        (
            {"instruction_parts": PARTS, "instruction_flags": {"include_haste": True}},
            'instruction_flags: "include_haste" chooses none of instruction_parts',
        ),
        ({"override_popup": {"title": "x"}}, "override_popup: content: this key is missing"),
        (
            {"config": [{"type": "upload_file", "parameters": {"files": [{"local_path": "../../x", "path": "/x"}]}}]},
            'the file "../../x" leads out of the checkout',
        ),
    ],
)
def test_a_mistake_is_one_sentence_with_its_place(
    changes: dict[str, Any], said: str, small_checkout: SmallCheckout
) -> None:
    path = small_checkout.task("override", **changes)

    with pytest.raises(TaskError) as raised:
        small_checkout.case("override")

    where, _, sentence = str(raised.value).partition(": ")
    assert sentence.startswith(said)
    assert "\n" not in sentence
    assert where.startswith(f"{path}:")


def test_a_mistake_in_a_step_is_told_with_the_line_of_the_step(small_checkout: SmallCheckout) -> None:
    path = small_checkout.task("override", config=[STEP, {"type": "exeucte"}])
    lines = path.read_text().splitlines()
    line = next(number for number, text in enumerate(lines) if "exeucte" in text)  # the brace stands a line above

    with pytest.raises(TaskError, match=rf"{path.name}:{line}: "):
        small_checkout.case("override")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": 1, "id": 2}', "not valid JSON: the key 'id' stands here twice"),
        ('{"id": NaN}', "not valid JSON: the value NaN is not JSON"),
        ('{"id": ' + "[" * 100_000, "not valid JSON: nested too deeply"),
        ('{"id": ' + "9" * 10_000 + "}", "not valid JSON: "),
        ('{"id": "\\ud800"}', "invalid JSON"),
        ("", "this task file is empty"),
    ],
    ids=["twice", "nan", "deep", "huge", "surrogate", "empty"],
)
def test_a_file_that_is_no_plain_json_is_told_as_that(text: str, said: str, small_checkout: SmallCheckout) -> None:
    path = small_checkout.task("override")
    path.write_text(text)

    with pytest.raises(TaskError, match=r":1: ") as raised:
        small_checkout.case("override")

    assert said in str(raised.value)


def test_flags_choose_the_parts_of_the_instruction(small_checkout: SmallCheckout) -> None:
    flags = {"include_urgency": False}
    small_checkout.task("override", instruction="Write it.", instruction_parts=PARTS, instruction_flags=flags)

    assert small_checkout.case("override").task.instruction == "Write it."


def test_an_impossible_task_is_one_that_is_judged_infeasible(small_checkout: SmallCheckout) -> None:
    small_checkout.task("override", evaluator={"func": "infeasible"})

    assert small_checkout.case("override").task.impossible


def test_equal_parts_of_several_files_are_made_once(small_checkout: SmallCheckout) -> None:
    first, second = small_checkout.case("override").task, small_checkout.case("rewire").task

    assert vars(first)["steps"][0] is vars(second)["steps"][0]


def test_what_stands_in_a_file_is_all_kept(small_checkout: SmallCheckout) -> None:
    path = small_checkout.task("override")

    case = small_checkout.case("override")

    assert case.task.instruction == json.loads(path.read_text())["instruction"]
    assert case.tags == ("os", "terminal")
