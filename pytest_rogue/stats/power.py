"""How many cases and epochs it takes to see a difference."""

from __future__ import annotations

import math
from statistics import NormalDist


def cases_needed(
    baseline: float, detect: float, *, power: float = 0.8, alpha: float = 0.05, epochs: int = 1, likeness: float = 0.5
) -> int:
    """Return how many cases each of two runs needs.

    The number for two independent proportions (J. L. Fleiss, Statistical Methods for Rates and Proportions, 2nd
    edition (1981), section 3.2, without continuity correction), times what epochs of one case are worth
    (1 + (epochs - 1) likeness) / epochs. That both runs have the same cases can only help; it is not counted on.

    Args:
        baseline: share in the first run.
        detect: by how much the share of the second is higher.
        power: probability of seeing it.
        alpha: level of the two-sided test.
        epochs: how often each case is run.
        likeness: correlation of two epochs of one case: 0 where they know nothing of each other, 1 where they are
            always the same.

    Raises:
        ValueError: a number is out of its bounds.
    """
    second = baseline + detect
    if baseline < 0 or detect <= 0 or second > 1:
        raise ValueError(f"shares lie between 0 and 1; a baseline of {baseline:g} and {detect:g} more do not")
    if not (0 < power < 1 and 0 < alpha < 1 and 0 <= likeness <= 1 and epochs >= 1):
        raise ValueError("power and alpha lie between 0 and 1, likeness from 0 to 1, and epochs from 1")
    normal = NormalDist()
    middle = (baseline + second) / 2
    spread = normal.inv_cdf(1 - alpha / 2) * math.sqrt(2 * middle * (1 - middle))
    spread += normal.inv_cdf(power) * math.sqrt(baseline * (1 - baseline) + second * (1 - second))
    return math.ceil((spread / detect) ** 2 * (1 + (epochs - 1) * likeness) / epochs)


def cases_for_upper_bound(limit: float, confidence: float = 0.95) -> int:
    """Return how many independent cases without a single event bring the Wilson interval's upper end to `limit`."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    return math.ceil(z * z * (1 - limit) / limit)
