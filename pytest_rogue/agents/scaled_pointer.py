"""Runs in the desktop, in front of a model's code whose coordinates are not pixels of the screen.

Its text is sent as it is, so it stands alone. The module that the code sees as `pyautogui` converts what goes in and
what comes out; pyautogui itself, which calls its own functions, is left as it was.
"""

from __future__ import annotations

import sys
import types
from typing import Any

_POINT = ("x", "y")
_OFFSET = ("xOffset", "yOffset")
_PLACES = {
    **dict.fromkeys(("click", "leftClick", "rightClick", "middleClick", "doubleClick", "tripleClick"), (0, _POINT)),
    **dict.fromkeys(("mouseDown", "mouseUp", "moveTo", "dragTo", "onScreen"), (0, _POINT)),
    **dict.fromkeys(("scroll", "hscroll", "vscroll"), (1, _POINT)),
    **dict.fromkeys(("move", "moveRel", "drag", "dragRel"), (0, _OFFSET)),
}
"""Where each function takes its coordinates: the position of the first, and the names of both."""


class Scaled(types.ModuleType):
    """A module like pyautogui, with coordinates of another extent.

    Args:
        pyautogui: the real one.
        screen: width and height in pixels.
        extent: where the coordinates end.
        edge: whether the end itself is still on the screen.
    """

    def __init__(self, pyautogui: Any, screen: tuple[int, int], extent: tuple[int, int], edge: bool) -> None:
        super().__init__("pyautogui")
        vars(self).update(_real=pyautogui, _screen=screen, _extent=extent, _edge=edge)
        sys.modules["pyautogui"] = self

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        if name not in _PLACES:
            return found

        def act(*args: Any, **named: Any) -> Any:
            return found(*self._converted(name, args, named), **named)

        return act

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._real, name, value)

    def position(self, *args: Any, **named: Any) -> Any:
        """Return where the pointer is."""
        at = self._real.position(*args, **named)
        return type(at)(*(round(at[axis] * self._extent[axis] / self._screen[axis]) for axis in (0, 1)))

    def size(self) -> Any:
        """Return where the coordinates end."""
        return type(self._real.size())(*self._extent)

    def _converted(self, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        """Return the positional arguments for the real function; those by name are changed in place."""
        first, names = _PLACES[name]
        given = list(args)
        if len(given) > first and isinstance(given[first], tuple | list):
            given[first : first + 1] = given[first][:2]
        if isinstance(named.get(names[0]), tuple | list):
            named.update(zip(names, named[names[0]], strict=False))
        convert = self._offset if names is _OFFSET else self._pixel
        for axis in (0, 1):
            at = first + axis
            if len(given) > at and isinstance(given[at], int | float):
                given[at] = convert(given[at], axis)
            if isinstance(named.get(names[axis]), int | float):
                named[names[axis]] = convert(named[names[axis]], axis)
        return given

    def _pixel(self, value: float, axis: int) -> int:
        end = self._extent[axis]
        if not 0 <= value <= end or (value == end and not self._edge):
            raise ValueError(f"{_POINT[axis]}={value} is outside the screen, where it runs from 0 to {end}")
        pixel: int = min(int(value * self._screen[axis] / end), self._screen[axis] - 1)
        return pixel

    def _offset(self, value: float, axis: int) -> int:
        pixels: int = round(value * self._screen[axis] / self._extent[axis])
        return pixels
