"""Anthropic's computer tool, https://platform.claude.com/docs/en/agents-and-tools/tool-use/computer-use-tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.agents import gestures
from pytest_rogue.agents.keys import chord
from pytest_rogue.agents.spaces.calls import parse_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_rogue.agents.arguments import Arguments
    from pytest_rogue.agents.frame import Frame
    from pytest_rogue.agents.parse import Parsed
    from pytest_rogue.agents.spaces.protocol import View
    from pytest_rogue.interaction import Action
    from pytest_rogue.models.client import Message, Reply, ToolCall

_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


class AnthropicComputer:
    """The computer tool in one of its versions, `computer_20251124` for instance."""

    prompt = "native"
    uses_grid_of_native = True
    takes_tags = False

    def __init__(self, version: str) -> None:
        self._version = version

    def tools(self, frame: Frame) -> tuple[Message, ...]:
        """Return the tool with the size of the picture; litellm reads it from `parameters`."""
        width, height = frame.picture
        size = {"display_width_px": width, "display_height_px": height}
        return ({"type": self._version, "function": {"name": "computer", "parameters": size}},)

    def parse(self, reply: Reply, view: View) -> Parsed:
        """Return the actions of all calls, or none."""
        return parse_calls(reply, view, lambda arguments: [_action(arguments)])

    def answer(self, call: ToolCall, told: str) -> str:  # noqa: ARG002  the same for every call
        """Return the words as they are."""
        return told


def _action(arguments: Arguments) -> Action:
    name = arguments.values.get("action")
    build = _ACTIONS.get(name) if isinstance(name, str) else None
    if build is None:
        raise arguments.mistake(f"there is no action {str(name)[:40]!r} here")
    return build(arguments)


def _click(arguments: Arguments, button: str, times: int = 1) -> Action:
    held = _chord(arguments, "text") if arguments.has("text") else ()
    return gestures.click(arguments.pair_or_none("coordinate"), button=button, times=times, held=held)


def _drag(arguments: Arguments) -> Action:
    start, end = arguments.pair_or_none("start_coordinate"), arguments.pair("coordinate")
    return gestures.drag([start, end] if start else [end])


def _scroll(arguments: Arguments) -> Action:
    right, down = _DIRECTIONS[arguments.choice("scroll_direction", tuple(_DIRECTIONS))]
    amount = arguments.whole("scroll_amount", 0, 100, 3)
    held = _chord(arguments, "text") if arguments.has("text") else ()
    at = arguments.pair_or_none("coordinate")
    return gestures.scroll(at, right=right * amount, down=down * amount, held=held)


def _chord(arguments: Arguments, name: str) -> list[str]:
    try:
        return chord(arguments.text(name).strip())
    except ValueError as error:
        raise arguments.mistake(str(error)) from None


_ACTIONS: Mapping[str, Callable[[Arguments], Action]] = {
    "screenshot": lambda _: gestures.look(),
    "cursor_position": lambda _: gestures.where(),
    "mouse_move": lambda a: gestures.move(a.pair("coordinate")),
    "left_click": lambda a: _click(a, "left"),
    "right_click": lambda a: _click(a, "right"),
    "middle_click": lambda a: _click(a, "middle"),
    "double_click": lambda a: _click(a, "left", 2),
    "triple_click": lambda a: _click(a, "left", 3),
    "left_mouse_down": lambda a: gestures.press_button(a.pair_or_none("coordinate")),
    "left_mouse_up": lambda a: gestures.release_button(a.pair_or_none("coordinate")),
    "left_click_drag": _drag,
    "scroll": _scroll,
    "type": lambda a: gestures.write(a.text("text")),
    "key": lambda a: gestures.press(_chord(a, "text")),
    "hold_key": lambda a: gestures.hold(_chord(a, "text"), a.wait("duration").seconds),
    "wait": lambda a: a.wait("duration", 1.0),
}
