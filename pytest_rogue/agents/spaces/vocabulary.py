"""Sixteen actions by name, as OSWorld's `computer_13` has them; `tools` offers the same as functions.

https://github.com/xlang-ai/OSWorld documents the names and parameters; how each is carried out is this package's own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_rogue.agents import gestures
from pytest_rogue.agents.gestures import BUTTONS
from pytest_rogue.interaction import Action

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_rogue.agents.arguments import Arguments

MOST_CLICKS_OF_THE_WHEEL = 100

_NUMBER = {"type": "number"}
_WHEEL = {"type": "integer", "minimum": -MOST_CLICKS_OF_THE_WHEEL, "maximum": MOST_CLICKS_OF_THE_WHEEL}
_PLACE = {"x": _NUMBER, "y": _NUMBER}
_BUTTON = {"button": {"type": "string", "enum": list(BUTTONS)}}
_KEY = {"key": {"type": "string"}}


@dataclass(frozen=True, slots=True)
class Entry:
    """One action.

    Attributes:
        about: what it does, in one sentence for the model.
        build: makes the action of its arguments.
        parameters: JSON schema of each.
        required: names of those that have to be given.
    """

    about: str
    build: Callable[[Arguments], Action]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    required: tuple[str, ...] = ()


def _button(arguments: Arguments) -> str:
    return arguments.choice("button", BUTTONS, "left")


def _scroll(arguments: Arguments) -> Action:
    most = MOST_CLICKS_OF_THE_WHEEL
    right, up = arguments.whole("dx", -most, most, 0), arguments.whole("dy", -most, most, 0)
    return gestures.scroll(arguments.point_or_none(), right=right, down=-up)


def _hotkey(arguments: Arguments) -> Action:
    keys = arguments.keys("keys")
    if not keys:
        raise arguments.mistake("needs a list of keys as 'keys'")
    return gestures.press(keys)


VOCABULARY: Mapping[str, Entry] = {
    "MOVE_TO": Entry("Move the pointer.", lambda a: gestures.move(a.point()), _PLACE, ("x", "y")),
    "CLICK": Entry(
        "Click at a place, or where the pointer is; the left button, once, unless said otherwise.",
        lambda a: gestures.click(a.point_or_none(), button=_button(a), times=a.whole("num_clicks", 1, 3, 1)),
        {**_PLACE, **_BUTTON, "num_clicks": {"type": "integer", "minimum": 1, "maximum": 3}},
    ),
    "RIGHT_CLICK": Entry(
        "Click the right button.", lambda a: gestures.click(a.point_or_none(), button="right"), _PLACE
    ),
    "DOUBLE_CLICK": Entry("Click twice.", lambda a: gestures.click(a.point_or_none(), times=2), _PLACE),
    "MOUSE_DOWN": Entry(
        "Press a mouse button and keep it down.", lambda a: gestures.press_button(None, _button(a)), _BUTTON
    ),
    "MOUSE_UP": Entry("Let go of a mouse button.", lambda a: gestures.release_button(None, _button(a)), _BUTTON),
    "DRAG_TO": Entry(
        "Drag from where the pointer is to a place.", lambda a: gestures.drag([a.point()]), _PLACE, ("x", "y")
    ),
    "SCROLL": Entry(
        "Turn the wheel, at a place or where the pointer is: dy clicks up (negative: down), dx clicks to the right.",
        _scroll,
        {"dx": _WHEEL, "dy": _WHEEL, **_PLACE},
    ),
    "TYPING": Entry("Type a text.", lambda a: gestures.write(a.text("text")), {"text": {"type": "string"}}, ("text",)),
    "PRESS": Entry("Press a key.", lambda a: gestures.press([a.key("key")]), _KEY, ("key",)),
    "KEY_DOWN": Entry("Press a key and keep it down.", lambda a: gestures.key_down(a.key("key")), _KEY, ("key",)),
    "KEY_UP": Entry("Let go of a key.", lambda a: gestures.key_up(a.key("key")), _KEY, ("key",)),
    "HOTKEY": Entry(
        "Press keys together.",
        _hotkey,
        {"keys": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 10}},
        ("keys",),
    ),
    "WAIT": Entry("Let time pass.", lambda a: a.wait("seconds", 1.0), {"seconds": _NUMBER}),
    "DONE": Entry("Say that the task is complete.", lambda _: Action.done()),
    "FAIL": Entry("Say that the task cannot be done, or decline it.", lambda _: Action.fail()),
}

TAG = {"tag": {"type": "integer", "description": "Number of a mark on the screenshot, instead of x and y."}}


def signature(name: str) -> str:
    """Return one line that explains an action, for a prompt."""
    entry = VOCABULARY[name]
    names = [parameter if parameter in entry.required else f"{parameter}?" for parameter in entry.parameters]
    return f"- `{name}`({', '.join(names)}): {entry.about}"
