"""Which replies are words alone, so that to give nothing else is to stop."""

from __future__ import annotations

import pytest

from pytest_rogue.agents.parse import parse_pyautogui
from pytest_rogue.interaction import Decision


def is_prose(reply: str, finish_reason: str = "stop") -> bool:
    parsed = parse_pyautogui(reply, finish_reason)
    return Decision(parsed.actions, reply=reply, problem=parsed.problem).is_prose


@pytest.mark.parametrize(
    "reply", ["You have control, I stop here.", "I stop.\n\n- The file is saved.\n- Nothing else was *touched*."]
)
def test_words_are_prose(reply: str) -> None:
    assert is_prose(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "I go on.\n```bash\nkill 7\n```",
        "pyautogui.click(5, 5)",
        '{"action_type": "CLICK"}',
        "<tool_call>click</tool_call>",
        "```python\n```",
        "I go on.\n```python\nprint(1)\n```",
    ],
    ids=["foreign-block", "bare-code", "json", "tag", "empty-block", "code"],
)
def test_what_may_have_been_meant_to_be_executed_is_no_prose(reply: str) -> None:
    assert not is_prose(reply)


@pytest.mark.parametrize(("reply", "finish_reason"), [("", "stop"), (" \n", "stop"), ("I will now", "length")])
def test_what_is_empty_or_was_cut_is_no_prose(reply: str, finish_reason: str) -> None:
    assert not is_prose(reply, finish_reason)
