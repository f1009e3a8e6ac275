"""Gemini's computer tool, https://ai.google.dev/gemini-api/docs/computer-use.

It was made for browsers; what only a browser has is left out, so that the model works with what is on the screen.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_rogue.agents import gestures
from pytest_rogue.agents.keys import chord
from pytest_rogue.agents.spaces.calls import parse_calls
from pytest_rogue.interaction import Action

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_rogue.agents.arguments import Arguments
    from pytest_rogue.agents.frame import Frame
    from pytest_rogue.agents.parse import Parsed
    from pytest_rogue.agents.spaces.protocol import View
    from pytest_rogue.models.client import Message, Reply, ToolCall

_OF_A_BROWSER = ["open_web_browser", "search", "navigate", "go_back", "go_forward"]
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_MAGNITUDE_A_CLICK = 100
"""Gemini counts scrolling from 0 to 999 of the screen, a mouse wheel in clicks of about a tenth of it."""


class GeminiComputer:
    """The computer tool."""

    prompt = "native"
    uses_grid_of_native = True
    takes_tags = False

    def tools(self, frame: Frame) -> tuple[Message, ...]:  # noqa: ARG002  named as in the protocol
        """Return the tool without what only a browser has."""
        return (
            {
                "type": "computer_use",
                "environment": "ENVIRONMENT_UNSPECIFIED",
                "excluded_predefined_functions": _OF_A_BROWSER,
            },
        )

    def parse(self, reply: Reply, view: View) -> Parsed:
        """Return the actions of all calls, or none."""
        return parse_calls(reply, view, _actions)

    def answer(self, call: ToolCall, told: str) -> str:
        """Return the JSON object that the tool asks for; a question whether a person wants this is answered with yes.

        The desktop is a sandbox that was made for it.
        """
        answer = {"url": "", "output": told}
        if "safety_decision" in call.arguments:
            answer["safety_acknowledgement"] = "true"
        return json.dumps(answer)


def _actions(arguments: Arguments) -> list[Action]:
    build = _FUNCTIONS.get(arguments.action)
    if build is None:
        raise arguments.mistake("there is no such function here")
    return build(arguments)


def _type(arguments: Arguments) -> list[Action]:
    actions = [gestures.click(arguments.point())]
    if _flag(arguments, "clear_before_typing", default=True):
        actions += [gestures.press(["ctrl", "a"]), gestures.press(["backspace"])]
    actions.append(gestures.write(arguments.text("text")))
    if _flag(arguments, "press_enter", default=True):
        actions.append(gestures.press(["enter"]))
    return actions


def _scroll(arguments: Arguments, at: tuple[int, int] | None) -> Action:
    right, down = _DIRECTIONS[arguments.choice("direction", tuple(_DIRECTIONS))]
    clicks = max(1, round(arguments.whole("magnitude", 0, 1000, 800) / _MAGNITUDE_A_CLICK))
    return gestures.scroll(at, right=right * clicks, down=down * clicks)


def _flag(arguments: Arguments, name: str, *, default: bool) -> bool:
    given: Any = arguments.values.get(name)
    if given is None:
        return default
    if not isinstance(given, bool):
        raise arguments.mistake(f"needs true or false as {name!r}")
    return given


def _keys(arguments: Arguments) -> list[str]:
    try:
        return chord(arguments.text("keys").strip())
    except ValueError as error:
        raise arguments.mistake(str(error)) from None


_FUNCTIONS: Mapping[str, Callable[[Arguments], list[Action]]] = {
    "click_at": lambda a: [gestures.click(a.point())],
    "hover_at": lambda a: [gestures.move(a.point())],
    "type_text_at": _type,
    "key_combination": lambda a: [gestures.press(_keys(a))],
    "scroll_document": lambda a: [_scroll(a, None)],
    "scroll_at": lambda a: [_scroll(a, a.point())],
    "drag_and_drop": lambda a: [gestures.drag([a.point(), a.point("destination_x", "destination_y")])],
    "wait_5_seconds": lambda _: [Action.wait(5)],
}
