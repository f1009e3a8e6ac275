"""What each action space reads from a reply."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_rogue.agents.frame import Frame
from pytest_rogue.agents.parse import Parsed
from pytest_rogue.agents.spaces.protocol import ActionSpace, View
from pytest_rogue.agents.spaces.registry import action_space
from pytest_rogue.agents.spaces.vocabulary import VOCABULARY
from pytest_rogue.errors import ConfigError
from pytest_rogue.interaction import Action
from pytest_rogue.models.client import Reply, ToolCall
from pytest_rogue.models.quirks import Quirks

SCREEN = (1920, 1080)
VIEW = View(Frame(SCREEN, SCREEN))
HALF = View(Frame(SCREEN, (960, 540)))
GRID = View(Frame(SCREEN, SCREEN, grid=1000))
TAGGED = View(Frame(SCREEN, SCREEN), {1: (30, 40), 12: (500, 600)})
DRAG = "pyautogui.mouseDown(button='left')\npyautogui.moveTo(3, 4, duration=0.3)\npyautogui.mouseUp(button='left')"


def space(name: str, native: Any = "", observation: str = "screenshot") -> ActionSpace:
    return action_space(name, observation_type=observation, quirks=Quirks(native=native))


CODE, JSON, TOOLS = space("pyautogui"), space("computer_13"), space("tools")
ANTHROPIC, OPENAI, GEMINI = (space("native", n) for n in ("computer_20251124", "openai", "gemini"))


def call(name: str, **arguments: Any) -> Reply:
    return Reply("", finish_reason="tool_calls", calls=(ToolCall("c1", name, json.dumps(arguments)),))


def codes(parsed: Parsed) -> list[str]:
    assert parsed.problem is None, parsed.feedback
    return [action.code or f"{action.kind} {action.seconds:g}" for action in parsed.actions]


# --- the vocabulary, as JSON and as functions --------------------

SAID: list[tuple[str, dict[str, Any], str]] = [
    ("MOVE_TO", {"x": 3, "y": 4}, "pyautogui.moveTo(3, 4)"),
    ("CLICK", {}, "pyautogui.click(clicks=1, button='left')"),
    ("CLICK", {"x": 3, "y": 4, "button": "right"}, "pyautogui.click(3, 4, clicks=1, button='right')"),
    ("CLICK", {"x": "3", "y": 4, "num_clicks": 3}, "pyautogui.click(3, 4, clicks=3, button='left', interval=0.05)"),
    ("RIGHT_CLICK", {"x": 3, "y": 4}, "pyautogui.click(3, 4, clicks=1, button='right')"),
    ("DOUBLE_CLICK", {}, "pyautogui.click(clicks=2, button='left', interval=0.05)"),
    ("MOUSE_DOWN", {}, "pyautogui.mouseDown(button='left')"),
    ("MOUSE_UP", {"button": "middle"}, "pyautogui.mouseUp(button='middle')"),
    ("DRAG_TO", {"x": 3, "y": 4}, DRAG),
    ("SCROLL", {"dx": 0, "dy": -5}, "pyautogui.scroll(-5)"),
    ("SCROLL", {"dx": 2}, "pyautogui.hscroll(2)"),
    ("TYPING", {"text": "it's \"żółw\"\n')"}, """pyautogui.write('it\\'s "żółw"\\n\\')')"""),
    ("PRESS", {"key": "Return"}, "pyautogui.press('enter')"),
    ("KEY_DOWN", {"key": "Control_L"}, "pyautogui.keyDown('ctrlleft')"),
    ("KEY_UP", {"key": "shift"}, "pyautogui.keyUp('shift')"),
    ("HOTKEY", {"keys": ["Ctrl", "s"]}, "pyautogui.hotkey('ctrl', 's')"),
    ("WAIT", {}, "wait 1"),
    ("WAIT", {"seconds": 2.5}, "wait 2.5"),
    ("DONE", {}, "done 0"),
    ("FAIL", {}, "fail 0"),
]


def test_every_word_of_the_vocabulary_is_tried_below() -> None:
    assert {name for name, _, _ in SAID} == set(VOCABULARY)


@pytest.mark.parametrize(("name", "parameters", "code"), SAID)
def test_an_action_as_json_is_carried_out(name: str, parameters: dict[str, Any], code: str) -> None:
    said = json.dumps({"action_type": name, "parameters": parameters})
    for form in (f"I do it.\n```json\n{said}\n```", f"```\n[{said}]\n```", said):
        assert codes(JSON.parse(Reply(form), VIEW)) == [code]


@pytest.mark.parametrize(("name", "parameters", "code"), SAID)
def test_an_action_as_a_tool_call_is_carried_out(name: str, parameters: dict[str, Any], code: str) -> None:
    parsed = TOOLS.parse(call(name.lower(), **parameters), VIEW)
    assert codes(parsed) == [code]
    assert parsed.calls == ("c1",)


def test_parameters_may_stand_beside_the_action_type() -> None:
    assert codes(JSON.parse(Reply('{"action_type": "MOVE_TO", "x": 3, "y": 4}'), VIEW)) == ["pyautogui.moveTo(3, 4)"]


@pytest.mark.parametrize("word", ["DONE", "```\nDONE\n```", '```json\n"DONE"\n```', "All set.\nDONE"])
def test_a_special_word_needs_no_json(word: str) -> None:
    assert JSON.parse(Reply(word), VIEW).actions == (Action.done(),)


def test_what_follows_the_end_is_not_carried_out() -> None:
    done = '{"action_type": "DONE"}'
    assert JSON.parse(Reply(f"[{done}, {done}]"), VIEW).actions == (Action.done(),)
    calls = (ToolCall("a", "done", ""), ToolCall("b", "typing", '{"text": "x"}'))
    assert TOOLS.parse(Reply("", calls=calls), VIEW) == Parsed((Action.done(),), calls=("a",))


MISTAKES: list[tuple[str, dict[str, Any], str]] = [
    ("MOVE_TO", {}, "needs a number as 'x'"),
    ("MOVE_TO", {"x": True, "y": 4}, "needs a number as 'x'"),
    ("MOVE_TO", {"x": 10**400, "y": 4}, "needs a number as 'x'"),
    ("MOVE_TO", {"x": float("nan"), "y": 4}, "needs a number as 'x'"),
    ("MOVE_TO", {"x": 0.5, "y": 0.5}, "is a fraction"),
    ("CLICK", {"x": 5000, "y": 4}, "lies outside the screen"),
    ("CLICK", {"button": "left'); import os"}, "needs one of left, middle, right"),
    ("CLICK", {"num_clicks": 99}, "needs a whole number from 1 to 3"),
    ("TYPING", {"text": 5}, "needs a text"),
    ("PRESS", {"key": "entr"}, "there is no key 'entr'; did you mean enter"),
    ("HOTKEY", {"keys": []}, "needs a list of keys"),
    ("WAIT", {"seconds": 1e9}, "can wait from 0 to 60 seconds"),
    ("SHOUT", {}, "there is no"),
]


@pytest.mark.parametrize(("name", "parameters", "words"), MISTAKES)
def test_a_mistake_is_told_and_nothing_before_it_is_done(name: str, parameters: dict[str, Any], words: str) -> None:
    good = {"action_type": "CLICK"}
    said = json.dumps([good, {"action_type": name, "parameters": parameters}])
    calls = (ToolCall("a", "click", ""), ToolCall("b", name.lower(), json.dumps(parameters)))
    for parsed in (JSON.parse(Reply(said), VIEW), TOOLS.parse(Reply("", calls=calls), VIEW)):
        assert (parsed.actions, parsed.problem) == ((), "unparsable")
        assert words in parsed.feedback


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (Reply('```json\n{"action_type": "CLI', finish_reason="length"), "truncated"),
        (Reply('{"action_type": "CLI', finish_reason="length"), "truncated"),
        (Reply("```python\npyautogui.click()\n```"), "unparsable"),
        (Reply("Let me think."), "unparsable"),
        (Reply("[]"), "unparsable"),
        (Reply(" \n"), "empty"),
    ],
)
def test_json_that_is_none_is_told_apart(reply: Reply, problem: str) -> None:
    parsed = JSON.parse(reply, VIEW)
    assert (parsed.actions, parsed.problem) == ((), problem)
    assert parsed.feedback


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (Reply("", calls=(ToolCall("a", "typing", '{"text": "half a se'),), finish_reason="length"), "truncated"),
        (Reply("", calls=(ToolCall("a", "typing", '{"text": "half a se'),)), "unparsable"),
        (Reply("", calls=(ToolCall("a", "typing", "[1]"),)), "unparsable"),
        (Reply("I thi", finish_reason="length"), "truncated"),
        (Reply("I think that I am done."), "unparsable"),
        (Reply(""), "empty"),
    ],
)
def test_calls_that_are_none_are_told_apart(reply: Reply, problem: str) -> None:
    for each in (TOOLS, ANTHROPIC, OPENAI, GEMINI):
        assert (each.parse(reply, VIEW).actions, each.parse(reply, VIEW).problem) == ((), problem)


@pytest.mark.parametrize("arguments", ["", "{}", '{"x": 5, "y": 5}'])
def test_a_call_without_arguments_in_a_cut_reply_is_not_executed(arguments: str) -> None:
    calls = (ToolCall("a", "click", arguments),)
    parsed = TOOLS.parse(Reply("", calls=calls, finish_reason="length"), VIEW)
    assert (parsed.actions, parsed.problem) == ((), "truncated")
    assert TOOLS.parse(Reply("", calls=calls, finish_reason="tool_calls"), VIEW).actions, "whole, it is a click"


@pytest.mark.parametrize("each", [TOOLS, ANTHROPIC, OPENAI, GEMINI])
def test_a_model_with_tools_may_end_in_words(each: ActionSpace) -> None:
    assert each.parse(Reply("The file is saved.\n\nDONE"), VIEW).actions == (Action.done(),)
    assert each.parse(Reply("FAIL"), VIEW).actions == (Action.fail(),)


def test_coordinates_are_converted_in_json_and_in_calls() -> None:
    said = '{"action_type": "MOVE_TO", "parameters": {"x": 100, "y": 100}}'
    assert codes(JSON.parse(Reply(said), HALF)) == ["pyautogui.moveTo(200, 200)"]
    assert codes(TOOLS.parse(call("move_to", x=500, y=500), GRID)) == ["pyautogui.moveTo(960, 540)"]


# --- marks --------------------


def test_a_mark_stands_for_its_point_in_every_space() -> None:
    assert codes(CODE.parse(Reply("```python\npyautogui.click(tag_12)\n```"), TAGGED)) == [
        "tag_12 = (500, 600)\npyautogui.click(tag_12)"
    ]
    said = '{"action_type": "MOVE_TO", "parameters": {"tag": 12}}'
    assert codes(JSON.parse(Reply(said), TAGGED)) == ["pyautogui.moveTo(500, 600)"]
    assert codes(TOOLS.parse(call("move_to", tag=12), TAGGED)) == ["pyautogui.moveTo(500, 600)"]


def test_a_mark_that_is_not_there_is_told_and_nothing_is_done() -> None:
    code = CODE.parse(Reply("```python\npyautogui.press('a')\npyautogui.click(tag_99)\n```"), TAGGED)
    assert (code.actions, code.feedback) == (
        (),
        "Nothing of your reply was done: there is no tag_99 on this screenshot.",
    )
    assert "there is no tag 99" in TOOLS.parse(call("click", tag=99), TAGGED).feedback


# --- code --------------------


def test_code_on_the_screen_itself_is_run_as_it_stands() -> None:
    assert codes(CODE.parse(Reply("```python\npyautogui.click(500, 500)\n```"), VIEW)) == ["pyautogui.click(500, 500)"]


@pytest.mark.parametrize("code", ["pyautogui.click(0.5, 0.5)", "pyautogui.moveTo(y=.25, x=1)"])
def test_code_that_clicks_a_fraction_of_the_screen_is_told_so(code: str) -> None:
    parsed = CODE.parse(Reply(f"```python\n{code}\n```"), VIEW)
    assert (parsed.actions, parsed.problem) == ((), "unparsable")
    assert "are fractions; coordinates are pixels" in parsed.feedback


@pytest.mark.parametrize("code", ["pyautogui.click(1, 1)", "time.sleep(0.5)", "pyautogui.click(0.5", "x = 0.5\n" * 3])
def test_code_that_clicks_no_fraction_is_run(code: str) -> None:
    assert codes(CODE.parse(Reply(f"```python\n{code}\n```"), VIEW)) == [code.strip()]


# --- native tools --------------------

NATIVE: list[tuple[ActionSpace, Reply, list[str]]] = [
    (ANTHROPIC, call("computer", action="screenshot"), ["wait 0"]),
    (
        ANTHROPIC,
        call("computer", action="left_click", coordinate=[3, 4]),
        ["pyautogui.click(3, 4, clicks=1, button='left')"],
    ),
    (
        ANTHROPIC,
        call("computer", action="triple_click", text="shift"),
        ["with pyautogui.hold(['shift']):\n    pyautogui.click(clicks=3, button='left', interval=0.05)"],
    ),
    (ANTHROPIC, call("computer", action="mouse_move", coordinate=[3, 4]), ["pyautogui.moveTo(3, 4)"]),
    (
        ANTHROPIC,
        call("computer", action="key", text="ctrl+shift+Page_Down"),
        ["pyautogui.hotkey('ctrl', 'shift', 'pagedown')"],
    ),
    (ANTHROPIC, call("computer", action="key", text="ctrl++"), ["pyautogui.hotkey('ctrl', '+')"]),
    (ANTHROPIC, call("computer", action="type", text="a'b"), ['pyautogui.write("a\'b")']),
    (
        ANTHROPIC,
        call("computer", action="scroll", coordinate=[3, 4], scroll_direction="down", scroll_amount=5),
        ["pyautogui.moveTo(3, 4)\npyautogui.scroll(-5)"],
    ),
    (ANTHROPIC, call("computer", action="left_click_drag", coordinate=[3, 4]), [DRAG]),
    (ANTHROPIC, call("computer", action="wait", duration=2), ["wait 2"]),
    (
        ANTHROPIC,
        call("computer", action="hold_key", text="w", duration=1),
        ["with pyautogui.hold(['w']):\n    time.sleep(1)"],
    ),
    (ANTHROPIC, call("computer", action="cursor_position"), ["print(pyautogui.position())"]),
    (
        OPENAI,
        call("computer", actions=[{"type": "move", "x": 3, "y": 4}, {"type": "keypress", "keys": ["CTRL", "S"]}]),
        ["pyautogui.moveTo(3, 4)", "pyautogui.hotkey('ctrl', 's')"],
    ),
    (
        OPENAI,
        call("computer", actions=[{"type": "scroll", "x": 3, "y": 4, "scroll_x": 0, "scroll_y": 250}]),
        ["pyautogui.moveTo(3, 4)\npyautogui.scroll(-2)"],
    ),
    (
        OPENAI,
        call("computer", actions=[{"type": "drag", "path": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]}]),
        [f"pyautogui.moveTo(1, 2)\n{DRAG}"],
    ),
    (OPENAI, call("computer", actions=[{"type": "wait"}, {"type": "screenshot"}]), ["wait 2", "wait 0"]),
    (GEMINI, call("click_at", x=3, y=4), ["pyautogui.click(3, 4, clicks=1, button='left')"]),
    (
        GEMINI,
        call("type_text_at", x=3, y=4, text="hi", press_enter=False),
        [
            "pyautogui.click(3, 4, clicks=1, button='left')",
            "pyautogui.hotkey('ctrl', 'a')",
            "pyautogui.press('backspace')",
            "pyautogui.write('hi')",
        ],
    ),
    (GEMINI, call("key_combination", keys="Control+A"), ["pyautogui.hotkey('ctrl', 'a')"]),
    (GEMINI, call("scroll_document", direction="up"), ["pyautogui.scroll(8)"]),
    (GEMINI, call("drag_and_drop", x=1, y=2, destination_x=3, destination_y=4), [f"pyautogui.moveTo(1, 2)\n{DRAG}"]),
    (GEMINI, call("wait_5_seconds"), ["wait 5"]),
]


@pytest.mark.parametrize(("each", "reply", "done"), NATIVE)
def test_a_native_call_is_carried_out(each: ActionSpace, reply: Reply, done: list[str]) -> None:
    assert codes(each.parse(reply, VIEW)) == done


@pytest.mark.parametrize(
    ("each", "reply", "words"),
    [
        (ANTHROPIC, call("computer", action="zoom", region=[0, 0, 5, 5]), "there is no action 'zoom' here"),
        (ANTHROPIC, call("computer", action=["left_click"]), "there is no action"),
        (ANTHROPIC, call("computer", action="left_click", coordinate=[3]), "needs [x, y] as 'coordinate'"),
        (ANTHROPIC, call("computer", action="key", text="ctrl+entr"), "there is no key 'entr'"),
        (OPENAI, call("computer", actions=[]), "needs a list of actions"),
        (OPENAI, call("computer", actions=[{"type": "click", "x": 1, "y": 2, "button": "back"}]), "needs one of left"),
        (OPENAI, call("computer", actions=[{"type": "move", "x": 1, "y": 2}, {"type": "sing"}]), "no such action"),
        (GEMINI, call("navigate", url="file:///"), "there is no such function here"),
        (GEMINI, call("type_text_at", x=1, y=2, text="x", press_enter="yes"), "needs true or false"),
    ],
)
def test_a_native_call_that_cannot_be_is_told(each: ActionSpace, reply: Reply, words: str) -> None:
    parsed = each.parse(reply, VIEW)
    assert parsed.actions == ()
    assert words in parsed.feedback


def test_geminis_question_whether_a_person_wants_this_is_answered() -> None:
    asked = ToolCall("c", "click_at", '{"x": 1, "y": 2, "safety_decision": {"decision": "require_confirmation"}}')
    assert json.loads(GEMINI.answer(asked, "It was executed."))["safety_acknowledgement"] == "true"


@pytest.mark.parametrize(
    ("name", "native", "observation", "words"),
    [
        ("telepathy", "", "screenshot", "unknown action space 'telepathy'; choose one of: pyautogui, computer_13"),
        ("native", "", "screenshot", "choose --rogue-action-space=tools or pyautogui"),
        ("native", "openai", "som", "mean nothing to a native tool"),
        ("native", "openai", "a11y_tree", "needs to be shown the screen"),
    ],
)
def test_a_space_that_cannot_be_is_refused(name: str, native: str, observation: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        space(name, native, observation)
