"""On which line of a TOML file a value stands: the parser of the standard library does not say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_rogue.suite.complaints import Place

_HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_.\"' -]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([A-Za-z0-9_-]+)\s*[.=]")
_FENCE = re.compile(r'"""|\'\'\'')


def toml_lines(text: str) -> dict[Place, int]:
    """Return the line (from 1) of each table and key of valid TOML, in one pass.

    Array tables are counted: the second `[[checks]]` is `("checks", 1)`. What stands inside a multi-line string is not
    mistaken for a key. Inline tables and arrays are known by the line of their key only.
    """
    lines: dict[Place, int] = {}
    counts: dict[str, int] = {}
    table: Place = ()
    fence = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if fence:
            fence = _open_fence(line, fence)
            continue
        if header := _HEADER.match(line):
            table = _table(header[1], header[2], counts)
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, key[1]), number)
        fence = _open_fence(line, "")
    return lines


def nearest_line(lines: dict[Place, int], place: Place) -> int:
    """Return the line of `place`, or of the nearest thing around it, or 1."""
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1)


def _table(brackets: str, name: str, counts: dict[str, int]) -> Place:
    parts: Place = tuple(part.strip(" \"'") for part in name.split("."))
    if brackets == "[[":
        index = counts[name] = counts.get(name, -1) + 1
        return (*parts, index)
    if str(parts[0]) in counts:  # `[checks.args]` belongs to the last `[[checks]]`
        return (parts[0], counts[str(parts[0])], *parts[1:])
    return parts


def _open_fence(line: str, fence: str) -> str:
    for mark in _FENCE.findall(line):
        if not fence:
            fence = mark
        elif mark == fence:
            fence = ""
    return fence
