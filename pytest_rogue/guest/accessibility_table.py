"""Finds the cells of a big table that are in view, without visiting the others: a spreadsheet has millions of them.

Cells are known by their places on the screen. LibreOffice makes a new object at each question for the same cell, and
numbers only those of its first 131,072 rows; so neither an object nor its number tells whether two cells are one.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .accessibility_node import COMPONENT, NULL, Node, read_reference

if TYPE_CHECKING:
    from collections.abc import Collection

    from .bus_talks import Rounds

    Point = tuple[int, int]

_INSET = 4  # pixels from an edge of the table to the points along it; narrower rows and columns may be missed
_STEP = 6  # pixels from a point without a cell to the next


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
    """Go along lines over a table, from each cell to that behind it, and return where cells were met.

    Args:
        table: has a view.
        axis: 0 to go to the right, 1 to go down.
        lines: the other coordinate of each line.
    """
    assert table.view is not None  # noqa: S101  # what the only caller has asked
    end = table.view[axis] + table.view[axis + 2]
    at = dict.fromkeys(lines, table.view[axis] + _INSET)
    met = set()
    while at := {line: position for line, position in at.items() if position < end}:
        points = {line: (line, position) if axis else (position, line) for line, position in at.items()}
        cells = yield from _cells_at(table, points.values())
        for line, point in points.items():
            cell = cells.get(point)
            if cell is None or cell.box is None:
                at[line] += _STEP
            else:
                met.add(at[line])
                at[line] = max(at[line] + _INSET, cell.box[axis] + cell.box[axis + 2] + 2)
    return sorted(met)


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
