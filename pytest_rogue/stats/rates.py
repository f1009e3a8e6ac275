"""Rates and means that say how many values stand behind them, and how many are missing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_rogue.stats.clusters import Clusters
from pytest_rogue.stats.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its 95 % interval, Wilson's; value, low and high are None for n = 0."""

    count: int
    n: int
    value: float | None
    low: float | None
    high: float | None

    @classmethod
    def of(cls, count: int, n: int) -> Rate:
        """Return the rate of `count` in `n` trials that know nothing of each other."""
        return cls._with_interval(count, n, n)

    @classmethod
    def clustered(cls, trials: Iterable[tuple[Hashable, bool]]) -> Rate:
        """Return the rate of trials that are alike within a cluster, episodes of one task for instance.

        The interval is Wilson's at the effective number of trials; with one trial a cluster it is that of `of`.

        Args:
            trials: cluster and outcome of each.
        """
        clusters = Clusters.of(trials)
        return cls._with_interval(clusters.successes, clusters.n, clusters.n_effective)

    @classmethod
    def _with_interval(cls, count: int, n: int, n_effective: float) -> Rate:
        if n == 0:
            return cls(count, n, None, None, None)
        interval = wilson(n_effective if count == n else count / n * n_effective, n_effective)
        assert interval is not None  # noqa: S101 - n is above 0
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
