"""Rates, intervals, comparisons and plans. What is used where, and its source: docs/statistics.md."""

from pytest_rogue.stats.intervals import wilson
from pytest_rogue.stats.rates import Mean, Rate, mean_of

__all__ = ["Mean", "Rate", "mean_of", "wilson"]
