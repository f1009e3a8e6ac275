"""Read JSON together with the lines its parts stand on: the parser of the standard library forgets them.

Only what a message needs is located: each key of the top object, and each element of one array in it. The values
themselves are read by the standard library's decoder, so the whole takes linear time.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

_SPACE = re.compile(r"[ \t\n\r]*")


@dataclass(frozen=True, slots=True)
class LocatedJson:
    """A JSON object and its lines, from 1.

    Attributes:
        data: the object.
        key_lines: line of each of its keys.
        element_lines: line of each element of the array under the key that was asked for.
    """

    data: dict[str, Any]
    key_lines: dict[str, int]
    element_lines: tuple[int, ...]


def read_located(text: str, array_key: str) -> LocatedJson:
    """Read a JSON object.

    Args:
        text: the document.
        array_key: key of the top object whose array elements are to be located.

    Raises:
        json.JSONDecodeError: it is not strict JSON, not an object, or an object in it has a key twice.
    """
    return _Reader(text, array_key).read()


class _Reader:
    def __init__(self, text: str, array_key: str) -> None:
        self._text = text
        self._array_key = array_key
        self._decoder = json.JSONDecoder(object_pairs_hook=self._unique, parse_constant=self._not_json)
        self._at = 0
        self._line = 1
        self._counted_to = 0
        self._element_lines: list[int] = []

    def read(self) -> LocatedJson:
        data: dict[str, Any] = {}
        key_lines: dict[str, int] = {}
        self._expect("{", "a manifest is a JSON object")
        while not self._take("}"):
            if data:
                self._expect(",", "expected ',' or '}'")
            start, line = self._next(), self._here()
            key = self._value()
            if not isinstance(key, str):
                self._fail("expected a key in double quotes", start)
            if key in data:
                self._fail(f"the key {key!r} stands here twice", start)
            self._expect(":", "expected ':'")
            data[key] = self._elements() if key == self._array_key and self._peek() == "[" else self._value()
            key_lines[key] = line
        if self._next() < len(self._text):
            self._fail("something follows the end of the object", self._at)
        return LocatedJson(data, key_lines, tuple(self._element_lines))

    def _elements(self) -> list[Any]:
        elements: list[Any] = []
        self._expect("[", "expected '['")
        while not self._take("]"):
            if elements:
                self._expect(",", "expected ',' or ']'")
            self._next()
            self._element_lines.append(self._here())
            elements.append(self._value())
        return elements

    def _value(self) -> Any:
        start = self._next()
        try:
            value, self._at = self._decoder.raw_decode(self._text, start)
        except json.JSONDecodeError:
            raise
        except ValueError as error:
            self._fail(str(error), start)
        except RecursionError:
            self._fail("nested too deeply", start)
        return value

    def _next(self) -> int:
        """Move to the next character that is no space, and return its place."""
        match = _SPACE.match(self._text, self._at)
        self._at = match.end() if match else self._at
        return self._at

    def _peek(self) -> str:
        self._next()
        return self._text[self._at : self._at + 1]

    def _take(self, character: str) -> bool:
        found = self._peek() == character
        self._at += found
        return found

    def _expect(self, character: str, otherwise: str) -> None:
        if not self._take(character):
            self._fail(otherwise, self._at)

    def _here(self) -> int:
        self._line += self._text.count("\n", self._counted_to, self._at)
        self._counted_to = self._at
        return self._line

    def _fail(self, message: str, at: int) -> NoReturn:
        raise json.JSONDecodeError(message, self._text, at)

    @staticmethod
    def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} stands twice in an object")
        return found

    @staticmethod
    def _not_json(constant: str) -> NoReturn:
        raise ValueError(f"the value {constant} is not JSON")
