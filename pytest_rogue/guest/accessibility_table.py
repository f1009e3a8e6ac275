"""Finds the cells of a big table that are in view, without visiting the others: a spreadsheet has millions of them.

Cells are known by their places on the screen. LibreOffice makes a new object at each question for the same cell, and
numbers only those of its first 131,072 rows; so neither an object nor its number tells whether two cells are one.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .accessibility_node import COMPONENT, NULL, Node, read_reference

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .bus_talks import Rounds

    Point = tuple[int, int]

_INSET = 4  # pixels from an edge of the table to the points along it; narrower rows and columns may be missed
_BEHIND = 2  # pixels behind the end of a cell to the point that finds the next
_USUAL = (80, 20)  # pixels: width and height of a cell, as long as none was seen


def visible_cells(table: Node) -> Rounds[list[Node]]:
    """Ask for the rows along the sides, the columns along top and bottom, and what lies at all their crossings.

    Two lines each way, because a cell that spans several columns hides their borders in its own row.

    Returns:
        The cells in reading order, with their boxes. Nothing is asked about rows and columns that are hidden.
    """
    if table.view is None:
        return []
    left, _, width, _ = table.view
    rows = yield from _met_along(table, 1, {left + _INSET, left + width - _INSET})
    columns = yield from _met_along(table, 0, {*rows[:1], *rows[-1:]})
    cells = yield from _cells_at(table, [(x, y) for y in rows for x in columns])
    by_box: dict[object, Node] = {}
    for cell in cells.values():
        by_box.setdefault(cell.box, cell)
    return [*by_box.values()]


def _met_along(table: Node, axis: int, lines: Collection[int]) -> Rounds[list[int]]:
    """Go along lines over a table and return the positions at which cells were met.

    Every round asks for all the rest of a line at once, as if all cells there were as large as the last one that was
    seen. Where that proves wrong, the next round begins.

    Args:
        table: has a view.
        axis: 0 to go to the right, 1 to go down.
        lines: the other coordinate of each line.
    """
    assert table.view is not None  # noqa: S101  # what the only caller has asked
    end = table.view[axis] + table.view[axis + 2]
    going = dict.fromkeys(lines, (table.view[axis] + _INSET, _USUAL[axis]))
    met: set[int] = set()
    while going:
        points = {
            line: [(line, at) if axis else (at, line) for at in range(start, end, size)]
            for line, (start, size) in going.items()
        }
        cells = yield from _cells_at(table, [point for on_line in points.values() for point in on_line])
        for line, on_line in points.items():
            going[line] = _follow(axis, [(point[axis], cells.get(point)) for point in on_line], going[line][1], met)
        going = {line: (start, size) for line, (start, size) in going.items() if start < end}
    return sorted(met)


def _follow(axis: int, hits: Sequence[tuple[int, Node | None]], size: int, met: set[int]) -> tuple[int, int]:
    """Go from cell to cell as long as none was skipped, and note where; return where to go on, and the last size."""
    reached = hits[0][0]
    for at, cell in hits:
        if cell is None or cell.box is None:
            reached = max(reached, at + size)
            continue
        start, length = cell.box[axis], cell.box[axis + 2]
        if min(start, at) > reached:
            break
        behind = max(start + length, at) + _BEHIND
        if behind > reached:
            met.add(at)
            reached, size = behind, max(length, _INSET)
    return reached, size


def _cells_at(table: Node, points: Collection[Point]) -> Rounds[dict[Point, Node]]:
    """Return the cells that lie at points, with their boxes, in the order of the points."""
    found: dict[Point, Node] = {}

    def take(point: Point, body: bytes) -> None:
        place = read_reference(body)
        if place[1] not in (NULL, table.path):
            found[point] = table.below(place)

    yield [(table.ask(COMPONENT, "GetAccessibleAtPoint", "iiu", *point, 0), partial(take, point)) for point in points]
    yield [(cell.ask(COMPONENT, "GetExtents", "u", 0), cell.take_box) for cell in found.values()]
    return {point: found[point] for point in points if point in found and found[point].box}
