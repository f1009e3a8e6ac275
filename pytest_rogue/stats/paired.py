"""Two agents on the same tasks: the exact test, the difference with its interval, and many tests at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

from pytest_rogue.stats.intervals import at_most

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Second minus first share, over pairs.

    Attributes:
        n: pairs.
        up: pairs whose second share is higher.
        down: pairs whose second share is lower.
        value: mean of the differences, None for no pairs.
        low: lower end of the 95 % interval, None for no pairs.
        high: upper end.
        p: two-sided exact probability of a split as uneven as `up` to `down`, were both equally likely.
    """

    n: int
    up: int
    down: int
    value: float | None
    low: float | None
    high: float | None
    p: float

    @classmethod
    def of(cls, pairs: Sequence[tuple[float, float]]) -> PairedDifference:
        """Compare pairs of shares, each in [0, 1].

        With shares of 0 and 1 only, the test is the exact McNemar test (Q. McNemar, Psychometrika 12 (1947),
        153-157), and the interval that of A. Agresti and Y. Min, "Simple improved confidence intervals for comparing
        matched proportions", Statistics in Medicine 24 (2005), 729-740. With shares between (several epochs) the
        test is the sign test, and the interval, which takes each difference as if it were made of whole ones, is too
        wide rather than too narrow.
        """
        differences = [second - first for first, second in pairs]
        up, down = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
        n = len(differences)
        if n == 0:
            return cls(0, 0, 0, None, None, None, 1.0)
        low, high = _interval(
            math.fsum(d for d in differences if d > 0), -math.fsum(d for d in differences if d < 0), n
        )
        return cls(n, up, down, math.fsum(differences) / n, low, high, mcnemar(up, down))


def mcnemar(up: int, down: int) -> float:
    """Return the two-sided exact p-value of McNemar's test from the numbers of the two kinds of discordant pairs."""
    return min(1.0, 2 * at_most(min(up, down), up + down, 0.5))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values that may each be held against the level although there are several.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
    (1979), 65-70.
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def _interval(up: float, down: float, n: int) -> tuple[float, float]:
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    middle = (up - down) / (n + 2)
    half = z * math.sqrt(up + down + 1 - (up - down) ** 2 / (n + 2)) / (n + 2)
    return max(-1.0, middle - half), min(1.0, middle + half)
