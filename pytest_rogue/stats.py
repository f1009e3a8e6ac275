"""Rates and means that say how many values stand behind them, and how many are missing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def wilson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float] | None:
    """Return the Wilson score interval of a proportion, without continuity correction.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the
    American Statistical Association 22 (1927), 209-212.

    Args:
        successes: how often it happened.
        n: how often it could have happened.
        confidence: between 0 and 1, both excluded.

    Returns:
        Lower and upper end, both in [0, 1]; None for `n` = 0, where nothing is known.

    Raises:
        ValueError: the counts are impossible or the confidence is.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is no proportion")
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not at {confidence}")
    if n == 0:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / n
    middle = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # At the ends the formula gives 0 and 1 but for rounding.
    low = 0.0 if successes == 0 else (middle - half) / scale
    high = 1.0 if successes == n else (middle + half) / scale
    return low, high


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its 95 % Wilson interval; value, low and high are None for n = 0."""

    count: int
    n: int
    value: float | None
    low: float | None
    high: float | None

    @classmethod
    def of(cls, count: int, n: int) -> Rate:
        """Return the rate of `count` in `n`."""
        interval = wilson(count, n)
        if interval is None:
            return cls(count, n, None, None, None)
        return cls(count, n, count / n, *interval)


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over the `n` values that are there; None where there is none. `n_missing` were left out."""

    value: float | None
    n: int
    n_missing: int


def mean_of(values: Iterable[float | None]) -> Mean:
    """Return the mean of the values that are there; None, NaN and infinities are missing, not 0."""
    everything = list(values)
    known = [value for value in everything if value is not None and math.isfinite(value)]
    value = math.fsum(known) / len(known) if known else None
    return Mean(value, len(known), len(everything) - len(known))
