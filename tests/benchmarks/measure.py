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
        seconds: each measurement.
        goal: what it should stay under, in words.
        against: median in seconds of the other way of doing the same, measured in the same run; None for none.
    """

    name: str
    seconds: tuple[float, ...]
    goal: str = ""
    against: float | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


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
    cells = [("what", "median", "lowest", "highest", "n", "goal", "times faster than the other way")]
    for figure in figures:
        ratio = f"{figure.against / figure.median:.1f} x ({_ms(figure.against)})" if figure.against else ""
        low, high = min(figure.seconds), max(figure.seconds)
        row = (figure.name, _ms(figure.median), _ms(low), _ms(high), str(len(figure.seconds)), figure.goal, ratio)
        cells.append(row)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"
