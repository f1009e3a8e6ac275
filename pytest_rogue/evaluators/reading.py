"""Read what an evaluator looks at, and say in few words what is there."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.evaluators.protocol import GuestReader


class NotTextError(Exception):
    """A file is not UTF-8 text, a finding like any other."""


def read_text(reader: GuestReader, path: str) -> str:
    """Return a UTF-8 text with its line ends as they are.

    Raises:
        NotTextError: it is not UTF-8; the message says what is there.
        GuestFileMissing: there is no such file.
        GuestFileUnreadable: the desktop's user cannot read it.
    """
    data = reader.read_file(path)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise NotTextError(f"{len(data)} bytes that are not UTF-8: {data[:40]!r}") from error


def even_line_ends(text: str) -> str:
    r"""Return `text` with `\n` for every line end and without line ends at its end."""
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


def lines_in(text: str) -> list[str]:
    """Return the lines of a text that are not blank, without the spaces at their ends."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def first_difference(expected: Sequence[str], found: Sequence[str]) -> tuple[str, str]:
    """Return the first line in which two texts differ, as it was expected and as it was found."""
    for number, (wanted, there) in enumerate(zip_longest(expected, found), start=1):
        if wanted != there:
            return _line(number, wanted), _line(number, there)
    return f"{len(expected)} lines", "the same"


def _line(number: int, line: str | None) -> str:
    return f"line {number}: {line!r}" if line is not None else f"no line {number}"
