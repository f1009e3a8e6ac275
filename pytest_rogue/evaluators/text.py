"""Checks on plain text files. Text is UTF-8; anything else is reported as found and scores 0."""

from __future__ import annotations

import re
from collections import Counter
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from pytest_rogue.evaluators.protocol import Evaluator, Finding, GuestReader
from pytest_rogue.evaluators.reading import NotTextError, even_line_ends, first_difference, lines_in, read_text
from pytest_rogue.suite.model import GuestPath

_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\d,.]*\d)")


class FileText(Evaluator):
    """The text of a file.

    Line ends are made even and those at the end of the file are ignored, since editors differ in them; `exact` takes
    them as they are. `equals` compares the whole, `contains` and `excludes` look for parts.
    """

    name: ClassVar[str] = "file_text"

    path: GuestPath
    equals: str | None = None
    contains: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    exact: bool = False

    @model_validator(mode="after")
    def _asks_something(self) -> FileText:
        if self.equals is None and not self.contains and not self.excludes:
            raise ValueError("give equals, contains or excludes")
        if "" in self.contains + self.excludes:
            raise ValueError("a part to look for is not empty")
        return self

    def look(self, reader: GuestReader) -> Finding:
        """Compare."""
        even = (lambda text: text) if self.exact else even_line_ends
        try:
            text = even(read_text(reader, self.path))
        except NotTextError as error:
            return Finding(0.0, "UTF-8 text", str(error))
        if self.equals is not None and text != (equals := even(self.equals)):
            return Finding(0.0, *first_difference(equals.split("\n"), text.split("\n")))
        for part in self.contains:
            if part not in text:
                return Finding(0.0, f"text with {part!r}", f"a text of {len(text)} characters without it")
        for part in self.excludes:
            if part in text:
                count = text.count(part)
                return Finding(0.0, f"text without {part!r}", f"{count} times, first on line {_line_of(text, part)}")
        return Finding(1.0, "the right text", "it")


class FileLines(Evaluator):
    """The lines of a file: in `sequence`, or in `any` order (equal lines are counted).

    Blank lines and spaces at the end of a line are ignored.
    """

    name: ClassVar[str] = "file_lines"

    path: GuestPath
    lines: tuple[str, ...] = Field(min_length=1)
    order: Literal["sequence", "any"] = "sequence"

    def look(self, reader: GuestReader) -> Finding:
        """Compare."""
        try:
            text = read_text(reader, self.path)
        except NotTextError as error:
            return Finding(0.0, "UTF-8 text", str(error))
        found = lines_in(text)
        wanted = [line.rstrip() for line in self.lines]
        if self.order == "sequence":
            return Finding(float(wanted == found), *first_difference(wanted, found))
        missing, extra = Counter(wanted) - Counter(found), Counter(found) - Counter(wanted)
        told = [*(f"without {line!r}" for line in missing), *(f"also {line!r}" for line in extra)]
        return Finding.of(
            not told, expected=f"{len(self.lines)} lines in any order", found=", ".join(told) or "these lines"
        )


class NumberInFile(Evaluator):
    """The one number in a file, within `tolerance`.

    Words and a currency sign may stand around it, and commas between its thousands. Two different numbers are no
    answer, even where one of them is right.
    """

    name: ClassVar[str] = "number_in_file"

    path: GuestPath
    equals: float
    tolerance: float = Field(default=1e-9, ge=0)

    def look(self, reader: GuestReader) -> Finding:
        """Compare."""
        expected = f"the number {self.equals:g}" if self.tolerance < 1e-6 else f"{self.equals:g} ± {self.tolerance:g}"
        try:
            text = read_text(reader, self.path)
        except NotTextError as error:
            return Finding(0.0, expected, str(error))
        numbers = {float(number.replace(",", "")) for number in _NUMBER.findall(text)}
        if len(numbers) != 1:
            return Finding(0.0, expected, f"{len(numbers) or 'no'} numbers in {text[:100]!r}")
        number = numbers.pop()
        return Finding.of(abs(number - self.equals) <= self.tolerance, expected=expected, found=f"{number!r}")


def _line_of(text: str, part: str) -> int:
    return text.count("\n", 0, text.index(part)) + 1
