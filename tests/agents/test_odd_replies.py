"""What a small real model said (SmolLM2 with 135 million parameters): no parser takes any of it for something to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from pytest_rogue.agents.frame import Frame
from pytest_rogue.agents.spaces.protocol import View
from pytest_rogue.agents.spaces.registry import action_space
from pytest_rogue.models.client import Reply
from pytest_rogue.models.quirks import Quirks
from pytest_rogue.textonly.answer import choice_in

VIEW = View(Frame((1920, 1080), (1920, 1080)))


class OddReply(NamedTuple):
    """A reply, what it was an answer to (an action space, or a question in words), and why it ended."""

    asked: str
    finish_reason: str
    reply: str


ODD = [OddReply(**row) for row in json.loads(Path(__file__).with_name("odd_replies.json").read_text(encoding="utf-8"))]


def test_there_are_replies_to_every_kind_of_question() -> None:
    assert {odd.asked for odd in ODD} == {"pyautogui", "computer_13", "textonly"}


@pytest.mark.parametrize("number", [number for number, odd in enumerate(ODD) if odd.asked != "textonly"])
@pytest.mark.parametrize("space", ["pyautogui", "computer_13"])
def test_an_odd_reply_is_a_problem_that_the_model_is_told_and_never_half_an_action(space: str, number: int) -> None:
    odd = ODD[number]
    reader = action_space(space, observation_type="a11y_tree", quirks=Quirks())

    parsed = reader.parse(Reply(odd.reply, finish_reason=odd.finish_reason), VIEW)

    assert parsed.actions == ()
    assert parsed.problem is not None
    assert parsed.feedback


@pytest.mark.parametrize("number", [number for number, odd in enumerate(ODD) if odd.asked == "textonly"])
def test_an_odd_answer_is_no_choice(number: int) -> None:
    odd = ODD[number]

    assert choice_in(odd.reply, "ABC") is None
