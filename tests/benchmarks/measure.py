"""A figure: what was measured, how often, the median, and what it is held against."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table.

    Attributes:
        name: what was measured.
        values: each measurement, in seconds unless `unit` says otherwise.
        goal: what it should stay under, in words.
        against: median of the other way of doing the same, measured in the same run; None for none.
        unit: of the values where they are no times.
    """

    name: str
    values: tuple[float, ...]
    goal: str = ""
    against: float | None = None
    unit: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def shown(self, value: float) -> str:
        """Return a value with its unit."""
        return f"{value:.1f} {self.unit}" if self.unit else f"{1000 * value:.1f} ms"


def timed(action: Callable[[], object], times: int) -> tuple[float, ...]:
    """Return how long each of `times` calls took, after one that is not counted."""
    action()
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        action()
        taken.append(time.perf_counter() - started)
    return tuple(taken)


def table(figures: list[Figure]) -> list[str]:
    cells: list[tuple[str, ...]] = [
        ("what", "median", "lowest", "highest", "n", "goal", "times less than the other way")
    ]
    for figure in figures:
        ratio = f"{figure.against / figure.median:.1f} x ({figure.shown(figure.against)})" if figure.against else ""
        numbers = (figure.median, min(figure.values), max(figure.values))
        cells.append((figure.name, *map(figure.shown, numbers), str(len(figure.values)), figure.goal, ratio))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
