"""Intervals agree with published values; what is missing is never counted as 0."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_rogue.stats import Mean, Rate, mean_of, wilson


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        # Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998),
        # table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_agrees_with_published_values(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


def test_wilson_knows_nothing_of_no_trials() -> None:
    assert wilson(0, 0) is None


@pytest.mark.parametrize(("successes", "n", "confidence"), [(3, 2, 0.95), (-1, 2, 0.95), (1, 2, 0.0), (1, 2, 1.0)])
def test_wilson_refuses_what_cannot_be(successes: int, n: int, confidence: float) -> None:
    with pytest.raises(ValueError, match=r"no proportion|a confidence lies"):
        wilson(successes, n, confidence)


counts = st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts)
def test_an_interval_holds_its_rate_and_stays_between_0_and_1(count_and_n: tuple[int, int]) -> None:
    rate = Rate.of(*count_and_n)
    assert rate.value is not None
    assert rate.low is not None
    assert rate.high is not None
    assert 0 <= rate.low <= rate.value <= rate.high <= 1


@given(counts)
def test_failures_have_the_mirrored_interval(count_and_n: tuple[int, int]) -> None:
    count, n = count_and_n
    low, high = wilson(count, n) or (math.nan, math.nan)
    assert wilson(n - count, n) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@given(counts)
def test_more_confidence_is_a_wider_interval(count_and_n: tuple[int, int]) -> None:
    low, high = wilson(*count_and_n, confidence=0.95) or (0.0, 0.0)
    wide_low, wide_high = wilson(*count_and_n, confidence=0.99) or (0.0, 0.0)
    assert wide_high - wide_low > high - low


def test_a_rate_of_nothing_has_no_value() -> None:
    assert Rate.of(0, 0) == Rate(0, 0, None, None, None)


@pytest.mark.parametrize("missing", [None, math.nan, math.inf, -math.inf])
def test_a_missing_value_is_left_out_of_the_mean_and_counted(missing: float | None) -> None:
    assert mean_of([missing, 1.0]) == Mean(1.0, n=1, n_missing=1)


def test_a_mean_of_missing_values_is_missing() -> None:
    assert mean_of([None, math.nan]) == Mean(None, n=0, n_missing=2)


def test_a_real_zero_counts() -> None:
    assert mean_of([0.0, 1.0]) == Mean(0.5, n=2, n_missing=0)
