"""Whatever a model says: no parser crashes, and none executes half of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_rogue.agents.frame import Frame
from pytest_rogue.agents.spaces.protocol import ActionSpace, View
from pytest_rogue.agents.spaces.registry import action_space
from pytest_rogue.agents.spaces.vocabulary import VOCABULARY
from pytest_rogue.models.client import Reply, ToolCall
from pytest_rogue.models.quirks import NativeTool, Quirks

VIEWS = [View(Frame((1920, 1080), (960, 540))), View(Frame((9, 9), (9, 9), grid=1000), {1: (3, 3)})]


def _native(tool: NativeTool) -> ActionSpace:
    return action_space("native", observation_type="screenshot", quirks=Quirks(native=tool))


SPACES = {
    **{
        name: action_space(name, observation_type="som", quirks=Quirks())
        for name in ("pyautogui", "computer_13", "tools")
    },
    "anthropic": _native("computer_20251124"),
    "openai": _native("openai"),
    "gemini": _native("gemini"),
}

WORDS = st.sampled_from(
    [
        *("action", "actions", "type", "action_type", "parameters", "x", "y", "tag", "text", "key", "keys", "button"),
        *("coordinate", "start_coordinate", "scroll_direction", "scroll_amount", "duration", "path", "direction"),
        *("left_click", "scroll", "drag", "keypress", "wait", "click", "left", "down", "ctrl+c", "CLICK", "HOTKEY"),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
NAMES = st.sampled_from([*map(str.lower, VOCABULARY), "computer", "click_at", "type_text_at", "scroll_at"]) | st.text()
CALLS = st.builds(ToolCall, st.text(max_size=4), NAMES, VALUES.map(json.dumps) | st.text(max_size=30))
TEXTS = (
    st.text()
    | VALUES.map(json.dumps)
    | st.lists(st.sampled_from(["```", "```json", "~~~", "\n", "DONE", "{", "0.5"])).map("\n".join)
)
REPLIES = st.builds(
    Reply,
    TEXTS,
    finish_reason=st.sampled_from(["stop", "length", "tool_calls"]),
    calls=st.lists(CALLS, max_size=3).map(tuple),
)


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
@given(reply=REPLIES, view=st.sampled_from(VIEWS))
def test_any_reply_is_actions_or_a_problem_with_feedback(space: ActionSpace, reply: Reply, view: View) -> None:
    parsed = space.parse(reply, view)
    assert bool(parsed.actions) == (parsed.problem is None) == (not parsed.feedback)
    assert all(not action.ends_episode for action in parsed.actions[:-1])
    assert parsed.calls == () or len(parsed.calls) == len(parsed.actions)


GOOD: dict[str, tuple[str, dict[str, Any]]] = {
    "tools": ("click", {"x": 5, "y": 5}),
    "anthropic": ("computer", {"action": "left_click", "coordinate": [5, 5]}),
    "openai": ("computer", {"actions": [{"type": "click", "x": 5, "y": 5}]}),
    "gemini": ("click_at", {"x": 5, "y": 5}),
}


@pytest.mark.parametrize("name", GOOD)
@given(place=st.integers(0, 3), bad=st.text(max_size=20))
def test_one_bad_call_keeps_all_others_from_being_done(name: str, place: int, bad: str) -> None:
    tool, arguments = GOOD[name]
    calls = [ToolCall(str(number), tool, json.dumps(arguments)) for number in range(3)]
    calls.insert(place, ToolCall("bad", tool, f"{{{bad}"))
    parsed = SPACES[name].parse(Reply("", calls=tuple(calls)), VIEWS[0])
    assert (parsed.actions, parsed.problem) == ((), "unparsable")


@given(cut=st.integers(1, 300))
def test_json_that_was_cut_anywhere_is_carried_out_as_a_whole_or_not_at_all(cut: int) -> None:
    whole = json.dumps([{"action_type": "TYPING", "parameters": {"text": "a" * 40}}, {"action_type": "CLICK"}] * 2)
    parsed = SPACES["computer_13"].parse(Reply(whole[:cut], finish_reason="length"), VIEWS[0])
    assert len(parsed.actions) == (4 if cut >= len(whole) else 0)


@given(text=st.text(max_size=200))
def test_what_is_typed_is_quoted_so_that_it_cannot_become_code(text: str) -> None:
    call = ToolCall("c", "typing", json.dumps({"text": text}))
    (action,) = SPACES["tools"].parse(Reply("", calls=(call,)), VIEWS[0]).actions
    written: list[str] = []
    exec(action.code, {"pyautogui": type("Recorder", (), {"write": staticmethod(written.append)})})  # noqa: S102  that it is harmless is the point
    assert written == [text]
