"""OpenAI's computer tool, https://developers.openai.com/api/docs/guides/tools-computer-use.

It is known to the Responses API only; `models/responses.py` translates. One call holds a list of actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_rogue.agents import gestures
from pytest_rogue.agents.arguments import Arguments
from pytest_rogue.agents.spaces.calls import parse_calls
from pytest_rogue.models.responses import COMPUTER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_rogue.agents.frame import Frame
    from pytest_rogue.agents.parse import Parsed
    from pytest_rogue.agents.spaces.protocol import View
    from pytest_rogue.interaction import Action
    from pytest_rogue.models.client import Message, Reply, ToolCall

_PIXELS_A_CLICK = 100
"""OpenAI counts scrolling in pixels, a mouse wheel in clicks; browsers scroll about so far at a click."""

_BUTTONS = {"left": "left", "right": "right", "wheel": "middle"}


class OpenAIComputer:
    """The computer tool."""

    prompt = "native"
    uses_grid_of_native = True
    takes_tags = False

    def tools(self, frame: Frame) -> tuple[Message, ...]:  # noqa: ARG002  named as in the protocol
        """Return the tool."""
        return (COMPUTER,)

    def parse(self, reply: Reply, view: View) -> Parsed:
        """Return the actions of all calls, or none."""
        return parse_calls(reply, view, _actions)

    def answer(self, call: ToolCall, told: str) -> str:  # noqa: ARG002  the same for every call
        """Return the words as they are."""
        return told


def _actions(arguments: Arguments) -> list[Action]:
    given = arguments.values.get("actions")
    if not isinstance(given, list) or not given or not all(isinstance(one, dict) for one in given):
        raise arguments.mistake("needs a list of actions")
    return [_action(Arguments(str(one.get("type"))[:40], one, arguments.frame)) for one in given]


def _action(arguments: Arguments) -> Action:
    build = _ACTIONS.get(arguments.action)
    if build is None:
        raise arguments.mistake("there is no such action here")
    return build(arguments)


def _click(arguments: Arguments) -> Action:
    button = _BUTTONS[arguments.choice("button", tuple(_BUTTONS), "left")]
    return gestures.click(arguments.point(), button=button, held=arguments.keys("keys"))


def _scroll(arguments: Arguments) -> Action:
    right, down = _wheel(arguments, "scroll_x"), _wheel(arguments, "scroll_y")
    return gestures.scroll(arguments.point_or_none(), right=right, down=down, held=arguments.keys("keys"))


def _drag(arguments: Arguments) -> Action:
    path: Any = arguments.values.get("path")
    if not isinstance(path, list) or len(path) < 2 or not all(isinstance(point, dict) for point in path):
        raise arguments.mistake("needs a path of two points or more")
    points = [Arguments(arguments.action, point, arguments.frame).point() for point in path]
    return gestures.drag(points, held=arguments.keys("keys"))


def _keypress(arguments: Arguments) -> Action:
    keys = arguments.keys("keys")
    if not keys:
        raise arguments.mistake("needs a list of keys")
    return gestures.press([key.lower() if len(keys) > 1 and len(key) == 1 else key for key in keys])


def _wheel(arguments: Arguments, name: str) -> int:
    pixels = arguments.number(name, 0)
    if not -10_000 <= pixels <= 10_000:
        raise arguments.mistake(f"can scroll by 10000 pixels at most, not by {name}={pixels:g}")
    clicks = max(1, round(abs(pixels) / _PIXELS_A_CLICK)) if pixels else 0
    return clicks if pixels > 0 else -clicks


_ACTIONS: Mapping[str, Callable[[Arguments], Action]] = {
    "screenshot": lambda _: gestures.look(),
    "click": _click,
    "double_click": lambda a: gestures.click(a.point(), times=2, held=a.keys("keys")),
    "move": lambda a: gestures.move(a.point()),
    "drag": _drag,
    "scroll": _scroll,
    "type": lambda a: gestures.write(a.text("text")),
    "keypress": _keypress,
    "wait": lambda a: a.wait("seconds", 2.0),
}
