"""From the text of an option to its value. Each raises a ValueError that says, in words, what was expected."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Number = TypeVar("Number", int, float)


def text(value: str) -> str:
    """Return a text that is not empty, without the blanks around it."""
    if not value.strip():
        raise ValueError("a non-empty text")
    return value.strip()


def whole(low: int, high: int) -> Callable[[str], int]:
    """Return what reads a whole number within bounds, which belong to it."""
    return _within(int, low, high, f"a whole number from {low} to {high}")


def above_zero(value: str, what: str = "a number") -> float:
    """Return a number above zero; `what` names it in the error."""
    expected = f"{what} above 0"
    try:
        number = float(value)
    except ValueError:
        raise ValueError(expected) from None
    if not 0 < number < float("inf"):
        raise ValueError(expected)
    return number


def seconds(value: str) -> float:
    """Return a length of time."""
    return above_zero(value, "a number of seconds")


def whole_or_all(low: int, high: int) -> Callable[[str], int | str]:
    """Return what reads a whole number within bounds, or the word `all`."""
    number = whole(low, high)

    def parse(value: str) -> int | str:
        if value == "all":
            return value
        try:
            return number(value)
        except ValueError as error:
            raise ValueError(f"{error}, or all") from None

    return parse


def between(low: float, high: float) -> Callable[[str], float]:
    """Return what reads a number within bounds, which belong to it."""
    return _within(float, low, high, f"a number from {low:g} to {high:g}")


def auto_or(parse: Callable[[str], float]) -> Callable[[str], float | None]:
    """Return what reads the word `auto`, as None, or what `parse` reads."""
    return lambda value: None if value == "auto" else parse(value)


def one_of(*names: str) -> Callable[[str], str]:
    """Return what reads one of these words."""

    def parse(value: str) -> str:
        if value not in names:
            close = difflib.get_close_matches(value, names, n=1)
            raise ValueError(f"one of {', '.join(names)}" + (f" (did you mean {close[0]}?)" if close else ""))
        return value

    return parse


def size(value: str) -> str:
    """Return the size of a screen in pixels, `1920x1080`."""
    match = re.fullmatch(r"(\d{3,4})x(\d{3,4})", value)
    if match is None or int(match[1]) < 320 or int(match[2]) < 200:
        raise ValueError("WIDTHxHEIGHT in pixels, such as 1920x1080, at least 320x200")
    return value


def yes(value: str) -> bool:
    """Return what a yes or no means."""
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    if value.lower() not in words:
        raise ValueError("yes or no")
    return words[value.lower()]


def _within(number_of: Callable[[str], Number], low: Number, high: Number, expected: str) -> Callable[[str], Number]:
    def parse(value: str) -> Number:
        try:
            number = number_of(value)
        except ValueError:
            raise ValueError(expected) from None
        if not low <= number <= high:
            raise ValueError(expected)
        return number

    return parse
