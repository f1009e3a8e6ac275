"""Episodes of one task are alike: how many independent ones they are worth, and how reliably a task goes well."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable


@dataclass(frozen=True, slots=True)
class Clusters:
    """Successes and trials of each cluster."""

    counts: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, trials: Iterable[tuple[Hashable, bool]]) -> Clusters:
        """Count trials, each given by its cluster and its outcome."""
        counts: dict[Hashable, tuple[int, int]] = {}
        for cluster, success in trials:
            successes, n = counts.get(cluster, (0, 0))
            counts[cluster] = (successes + bool(success), n + 1)
        return cls(tuple(counts.values()))

    @property
    def successes(self) -> int:
        """How often it happened."""
        return sum(successes for successes, _ in self.counts)

    @property
    def n(self) -> int:
        """Trials in all."""
        return sum(n for _, n in self.counts)

    @property
    def standard_error(self) -> float | None:
        """Cluster-robust standard error of the share, None for fewer than two clusters.

        It is the linearised error of a ratio with the factor k / (k - 1) for k clusters: W. G. Cochran, Sampling
        Techniques, 3rd edition (1977), section 3.12.
        """
        k = len(self.counts)
        if k < 2:
            return None
        share = self.successes / self.n
        squares = math.fsum((successes - n * share) ** 2 for successes, n in self.counts)
        return math.sqrt(k / (k - 1) * squares) / self.n

    @property
    def n_effective(self) -> float:
        """How many independent trials give as narrow an interval, between the number of clusters and of trials.

        Trials over the design effect, which is the square of `standard_error` over the variance of as many
        independent trials (L. Kish, Survey Sampling, 1965, section 8.2). Where all trials had the same outcome, or
        there is one cluster only, likeness cannot be measured: each cluster then counts once.
        """
        error, k, n = self.standard_error, len(self.counts), self.n
        if error is None or self.successes in (0, n):
            return float(k)
        share = self.successes / n
        independent = share * (1 - share) / (n - 1)
        return min(float(n), max(float(k), n * independent / error**2)) if error > 0 else float(n)


def all_of(k: int, counts: Iterable[tuple[int, int]]) -> tuple[float | None, int]:
    """Return how likely `k` epochs of one case all go well (pass^k), and over how many cases that is the mean.

    For a case with c good epochs in n it is C(c, k) / C(n, k), unbiased for k <= n; cases with fewer epochs are left
    out. Source: S. Yao and others, "tau-bench: a benchmark for tool-agent-user interaction in real-world domains"
    (2024), section 3.

    Args:
        k: from 1.
        counts: good epochs and epochs of each case.
    """
    values = [math.comb(good, k) / math.comb(n, k) for good, n in counts if n >= k]
    return (math.fsum(values) / len(values) if values else None), len(values)
