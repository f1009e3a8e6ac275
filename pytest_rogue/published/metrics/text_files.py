"""Metrics on text files."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_rogue.evaluators.jsonc import same_json
from pytest_rogue.evaluators.protocol import Finding
from pytest_rogue.evaluators.reading import first_difference
from pytest_rogue.published.metrics.comparison import (
    Comparison,
    Regex,
    Rules,
    file_of,
    read_expected,
    shown,
    text_of,
)

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Convention


class _Patterns(Rules):
    expect: tuple[Regex, ...] = ()
    unexpect: tuple[Regex, ...] = ()


class _Text(Rules):
    expected: str


class CheckList(Comparison):
    """Each pattern of `expect` is found in some line, and none of `unexpect` in any."""

    func: ClassVar[str] = "check_list"
    rules: ClassVar[type[Rules]] = _Patterns

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:  # noqa: ARG002 - no defect is mended here
        """Look through the lines."""
        wanted, lines = _Patterns.of(expected), text_of(result).splitlines(keepends=True)
        for pattern in wanted.expect:
            if not any(re.search(pattern, line) for line in lines):
                return Finding(0.0, f"a line with {pattern!r}", f"none in {len(lines)} lines")
        for pattern in wanted.unexpect:
            for line in lines:
                if re.search(pattern, line):
                    return Finding(0.0, f"no line with {pattern!r}", shown(line))
        return Finding(1.0, "lines with and without the right patterns", "they")


class CompareTextFile(Comparison):
    """The text of two files is the same; line ends of whatever kind are.

    `ignore_blanks` takes blanks and line ends in a row as one and none at the ends, `ignore_case` the case.
    """

    func: ClassVar[str] = "compare_text_file"

    ignore_blanks: bool = False
    ignore_case: bool = False

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:  # noqa: ARG002 - no defect is mended here
        """Compare line by line."""
        found, wanted = self._even(text_of(file_of(result))), self._even(read_expected(text_of, file_of(expected)))
        told = first_difference(wanted.split("\n"), found.split("\n"))
        return Finding.of(found == wanted, expected=told[0], found=told[1])

    def _even(self, text: str) -> str:
        text = " ".join(text.split()) if self.ignore_blanks else text
        return text.lower() if self.ignore_case else text


class CompareConfig(Comparison):
    """The file holds the expected text as a word of its own, or where both are JSON, at least the expected keys.

    Upstream takes any part of a word, so that a folder `projects` is `project`.
    """

    func: ClassVar[str] = "compare_config"
    rules: ClassVar[type[Rules]] = _Text

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:
        """Compare as JSON where both are, else as text."""
        wanted, found = _Text.of(expected).expected, text_of(result)
        objects = _object(wanted), _object(found)
        if objects[0] is not None and objects[1] is not None:
            right = _within(objects[0], objects[1])
        elif convention == "upstream":
            right = wanted in found
        else:
            right = re.search(rf"(?<![\w-]){re.escape(wanted)}(?![\w-])", found) is not None
        return Finding.of(right, expected=f"a file with {wanted!r}", found=shown(found))


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _within(part: Any, whole: Any) -> bool:
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and _within(value, whole[key]) for key, value in part.items())
    return same_json(part, whole)
