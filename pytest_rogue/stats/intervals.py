"""Intervals of a proportion. Neither vanishes at 0 % or at 100 %, as the binomial standard error does."""

from __future__ import annotations

import math
from statistics import NormalDist


def wilson(successes: float, n: float, confidence: float = 0.95) -> tuple[float, float] | None:
    """Return the Wilson score interval of a proportion, without continuity correction.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the
    American Statistical Association 22 (1927), 209-212.

    Args:
        successes: how often it happened; a fraction where `n` is an effective number.
        n: how often it could have happened.
        confidence: between 0 and 1, both excluded.

    Returns:
        Lower and upper end, both in [0, 1]; None for `n` = 0, where nothing is known.

    Raises:
        ValueError: the counts are impossible or the confidence is.
    """
    _check(successes, n, confidence)
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


def clopper_pearson(successes: int, n: int, confidence: float = 0.95) -> tuple[float, float] | None:
    """Return the exact interval of a proportion: it holds the true one at least as often as `confidence` says.

    Source: C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
    binomial", Biometrika 26 (1934), 404-413. The ends are found by bisection of the binomial tail.

    Args:
        successes: how often it happened.
        n: how often it could have happened.
        confidence: between 0 and 1, both excluded.

    Returns:
        Lower and upper end, both in [0, 1]; None for `n` = 0.

    Raises:
        ValueError: the counts are impossible or the confidence is.
    """
    _check(successes, n, confidence)
    if n == 0:
        return None
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else 1 - _share_with_tail(n - successes, n, tail)
    high = 1.0 if successes == n else _share_with_tail(successes, n, tail)
    return low, high


def at_most(successes: int, n: int, share: float) -> float:
    """Return the probability of `successes` or fewer in `n` independent trials of probability `share`."""
    if share in (0, 1):
        return float(share == 0 or successes >= n)
    if successes > n / 2:  # the other tail is the shorter sum
        return 1 - (at_most(n - successes - 1, n, 1 - share) if successes < n else 0)
    logs = (
        math.lgamma(n + 1)
        - math.lgamma(k + 1)
        - math.lgamma(n - k + 1)
        + k * math.log(share)
        + (n - k) * math.log1p(-share)
        for k in range(successes + 1)
    )
    return min(1.0, math.fsum(map(math.exp, logs)))


def _share_with_tail(successes: int, n: int, tail: float) -> float:
    """Return the share at which `successes` or fewer have the probability `tail`, which falls as the share grows."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(successes, n, middle) > tail else (low, middle)
    return (low + high) / 2


def _check(successes: float, n: float, confidence: float) -> None:
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is no proportion")
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not at {confidence}")
