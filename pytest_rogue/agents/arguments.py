"""The arguments of one action that a model has asked for, read one by one and checked.

Every mistake is a `MistakeError`, whose message is told to the model; nothing of its reply is carried out then.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_rogue.agents.frame import Frame, OutsideError, Point
from pytest_rogue.agents.keys import key_name
from pytest_rogue.interaction import LONGEST_WAIT, Action

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LONGEST_TEXT = 20_000
"""Characters of one text that may be typed."""


class MistakeError(ValueError):
    """A model asked for something that cannot be done as it stands. The message is one sentence for the model."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a model has given for one action.

    Attributes:
        action: what it is called, for messages.
        values: by name; anything JSON has.
        frame: what its coordinates are counted in.
        tags: the pixels of the screen that its numbered marks stand for.
    """

    action: str
    values: Mapping[str, Any]
    frame: Frame
    tags: Mapping[int, Point] = field(default_factory=dict)

    @classmethod
    def from_json(cls, action: str, text: str, frame: Frame, tags: Mapping[int, Point] | None = None) -> Arguments:
        """Read the arguments of a tool call; no text at all is no arguments.

        Raises:
            MistakeError: it is no JSON object.
        """
        try:
            values = json.loads(text) if text.strip() else {}
        except (ValueError, RecursionError):
            raise MistakeError(f"the arguments of {action} are not JSON") from None
        if not isinstance(values, dict):
            raise MistakeError(f"the arguments of {action} are not a JSON object")
        return cls(action, values, frame, tags or {})

    def has(self, name: str) -> bool:
        """True where a value was given."""
        return self.values.get(name) is not None

    def number(self, name: str, default: float | None = None) -> float:
        """Return a finite number; also one that was written as text."""
        given: Any = self.values.get(name)
        if given is None and default is not None:
            return default
        if isinstance(given, str):
            try:
                given = float(given)
            except ValueError:
                given = None
        if isinstance(given, bool) or not isinstance(given, int | float) or not _is_finite(given):
            raise self.mistake(f"needs a number as {name!r}")
        return given

    def whole(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """Return a whole number between two bounds."""
        number = self.number(name, default)
        if number != int(number) or not low <= number <= high:
            raise self.mistake(f"needs a whole number from {low} to {high} as {name!r}")
        return int(number)

    def text(self, name: str) -> str:
        """Return a text."""
        given = self.values.get(name)
        if not isinstance(given, str) or len(given) > LONGEST_TEXT:
            raise self.mistake(f"needs a text of at most {LONGEST_TEXT} characters as {name!r}")
        return given

    def choice(self, name: str, choices: Sequence[str], default: str | None = None) -> str:
        """Return one of several words."""
        given = self.values.get(name)
        if given is None and default is not None:
            return default
        if given not in choices:
            raise self.mistake(f"needs one of {', '.join(choices)} as {name!r}")
        return str(given)

    def key(self, name: str) -> str:
        """Return pyautogui's name of a key."""
        try:
            return key_name(self.text(name))
        except MistakeError:
            raise
        except ValueError as error:
            raise self.mistake(str(error)) from None

    def keys(self, name: str) -> list[str]:
        """Return pyautogui's names of the keys in a list; none where nothing was given."""
        given = self.values.get(name)
        words = [given] if isinstance(given, str) else given or []
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words) or len(words) > 10:
            raise self.mistake(f"needs a list of at most 10 keys as {name!r}")
        try:
            return [key_name(word) for word in words]
        except ValueError as error:
            raise self.mistake(str(error)) from None

    def point(self, x: str = "x", y: str = "y") -> Point:
        """Return a pixel of the screen, from two numbers or from the number of a mark in `tag`."""
        if self.tags and self.has("tag"):
            tag = int(self.number("tag"))
            if tag not in self.tags:
                raise self.mistake(f"there is no tag {tag}")
            return self.tags[tag]
        return self._on_screen(self.number(x), self.number(y))

    def point_or_none(self, x: str = "x", y: str = "y") -> Point | None:
        """Return a pixel of the screen, None where no place was given."""
        given = self.has(x) or self.has(y) or (bool(self.tags) and self.has("tag"))
        return self.point(x, y) if given else None

    def pair(self, name: str) -> Point:
        """Return a pixel of the screen, from a list of two numbers."""
        given = self.values.get(name)
        if not isinstance(given, list) or len(given) != 2:
            raise self.mistake(f"needs [x, y] as {name!r}")
        inner = Arguments(self.action, {"x": given[0], "y": given[1]}, self.frame)
        return inner.point()

    def pair_or_none(self, name: str) -> Point | None:
        """Return a pixel of the screen from a list of two numbers, None where nothing was given."""
        return self.pair(name) if self.has(name) else None

    def wait(self, name: str, default: float | None = None) -> Action:
        """Return an action that waits."""
        seconds = self.number(name, default)
        if not 0 <= seconds <= LONGEST_WAIT:
            raise self.mistake(f"can wait from 0 to {LONGEST_WAIT:g} seconds at a time")
        return Action.wait(seconds)

    def mistake(self, words: str) -> MistakeError:
        """Return the error that says what is wrong with this action."""
        return MistakeError(f"{self.action}: {words}")

    def _on_screen(self, x: float, y: float) -> Point:
        try:
            return self.frame.to_screen(x, y)
        except OutsideError as error:
            raise self.mistake(str(error)) from None


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # a whole number that no float can hold
        return False
