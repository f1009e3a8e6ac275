"""What a piece of pyautogui code does with mouse and keyboard, read from the code and not run.

Only what stands there literally is found: a coordinate that is computed has no place on a picture, and is left out.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

LONGEST_CODE = 100_000
"""Characters; longer code is shown, but not read."""

Place = tuple[float, float]

_CLICKS = {
    "click": ("left", 1),
    "leftClick": ("left", 1),
    "doubleClick": ("left", 2),
    "tripleClick": ("left", 3),
    "rightClick": ("right", 1),
    "middleClick": ("middle", 1),
    "mouseDown": ("left", 1),
    "mouseUp": ("left", 1),
}
_MOVES = frozenset({"moveTo", "move", "moveRel", "dragTo", "drag", "dragRel"})
_RELATIVE = frozenset({"move", "moveRel", "drag", "dragRel"})
_SCROLLS = frozenset({"scroll", "vscroll", "hscroll"})
_WRITES = frozenset({"write", "typewrite"})
_KEYS = frozenset({"press", "hotkey", "keyDown", "keyUp", "hold"})
_ALL = frozenset(_CLICKS) | _MOVES | _SCROLLS | _WRITES | _KEYS


@dataclass(frozen=True, slots=True)
class Gesture:
    """One thing done with mouse or keyboard.

    Attributes:
        kind: `click`, `move`, `drag`, `scroll`, `type` or `keys`.
        x: where it ends, in pixels from the left; None where the code does not say.
        y: in pixels from the top.
        from_x: where a drag begins, None where the code does not say.
        from_y: likewise.
        text: what is typed, the keys (`ctrl+s`), the button where it is not the left one, or how far is scrolled.
        times: how often, 2 for a double click.
    """

    kind: Literal["click", "move", "drag", "scroll", "type", "keys"]
    x: float | None = None
    y: float | None = None
    from_x: float | None = None
    from_y: float | None = None
    text: str = ""
    times: int = 1


@lru_cache(maxsize=1024)
def gestures_of(code: str) -> tuple[Gesture, ...]:
    """Return the gestures of `code` in the order in which they are written; none where it is no Python."""
    if "pyautogui" not in code or len(code) > LONGEST_CODE:
        return ()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a stray backslash in an agent's code is its own affair
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    calls.sort(key=lambda call: (call.lineno, call.col_offset))
    hand = _Hand()
    found = (hand.follow(_name(call.func), _Arguments(call)) for call in calls)
    return tuple(gesture for gesture in found if gesture is not None)


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return function.attr if function.value.id == "pyautogui" else ""
    return function.id if isinstance(function, ast.Name) and function.id in _ALL - {"write", "press", "hold"} else ""


class _Arguments:
    """The literal arguments of a call."""

    def __init__(self, call: ast.Call) -> None:
        self.values = [_literal(argument) for argument in call.args]
        self._named = {keyword.arg: _literal(keyword.value) for keyword in call.keywords if keyword.arg}

    def get(self, place: int, *names: str) -> Any:
        """Return the argument at a place or by a name, None where there is none that is literal."""
        if place < len(self.values):
            return self.values[place]
        return next((self._named[name] for name in names if name in self._named), None)

    def point(self, place: int = 0) -> tuple[float | None, float | None]:
        """Return x and y, given as two numbers or as one pair."""
        first = self.get(place, "x", "xOffset")
        if isinstance(first, (tuple, list)) and len(first) == 2:
            return _number(first[0]), _number(first[1])
        return _number(first), _number(self.get(place + 1, "y", "yOffset"))


class _Hand:
    """Where the pointer stands, as far as the code says."""

    def __init__(self) -> None:
        self._at: Place | None = None

    def follow(self, name: str, arguments: _Arguments) -> Gesture | None:
        """Return what a call does, None for one that is no gesture."""
        if name in _CLICKS:
            return self._click(name, arguments)
        if name in _MOVES:
            return self._move(name, arguments)
        if name in _SCROLLS:
            amount = _number(arguments.get(0, "clicks"))
            x, y = self._go(*arguments.point(1))
            return Gesture("scroll", x, y, text="" if amount is None else f"{amount:+g}")
        if name in _WRITES:
            message = arguments.get(0, "message")
            return Gesture("type", text=message if isinstance(message, str) else _joined(message))
        if name in _KEYS:
            return _press(name, arguments)
        return None

    def _click(self, name: str, arguments: _Arguments) -> Gesture:
        button, times = _CLICKS[name]
        x, y = self._go(*arguments.point())
        down_or_up = name.startswith("mouse")
        button = str(arguments.get(2 if down_or_up else 4, "button") or button).lower()
        if not down_or_up:
            times = int(_number(arguments.get(2, "clicks") if name == "click" else None) or times)
        return Gesture("click", x, y, text="" if button in ("left", "primary") else button, times=times)

    def _move(self, name: str, arguments: _Arguments) -> Gesture:
        before = self._at
        x, y = arguments.point()
        if name in _RELATIVE:
            x, y = (before[0] + x, before[1] + y) if before and x is not None and y is not None else (None, None)
        if x is None or y is None:
            self._at = None
        x, y = self._go(x, y)
        if name.startswith("move"):
            return Gesture("move", x, y)
        from_x, from_y = before or (None, None)
        return Gesture("drag", x, y, from_x, from_y)

    def _go(self, x: float | None, y: float | None) -> tuple[float | None, float | None]:
        """Move to a place; without one stay, and return where that is."""
        if x is not None and y is not None:
            self._at = (x, y)
        return self._at or (None, None)


def _press(name: str, arguments: _Arguments) -> Gesture:
    if name == "hotkey":
        return Gesture("keys", text="+".join(str(key) for key in _flat(arguments.values)))
    keys = arguments.get(0, "keys", "key")
    times = _number(arguments.get(1, "presses")) if name == "press" else None
    suffix = {"keyDown": " down", "keyUp": " up"}.get(name, "")
    return Gesture("keys", text=_joined(keys) + suffix, times=int(times or 1))


def _joined(keys: Any) -> str:
    return " ".join(str(key) for key in _flat([keys]))


def _flat(values: list[Any]) -> list[Any]:
    flat = [item for value in values for item in (value if isinstance(value, (list, tuple)) else [value])]
    return [item for item in flat if item is not None]


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def _number(value: Any) -> float | None:
    """Return a finite number of a size that a screen may have, None for everything else."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < 1e6 else None
