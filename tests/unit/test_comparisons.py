"""Formulas of ours against scipy, statsmodels, and published values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.api import OLS
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import samplesize_proportions_2indep_onetail

from pytest_rogue.stats.clusters import Clusters, all_of
from pytest_rogue.stats.intervals import clopper_pearson
from pytest_rogue.stats.paired import PairedDifference, holm, mcnemar
from pytest_rogue.stats.power import cases_for_upper_bound, cases_needed
from pytest_rogue.stats.rates import Rate


@pytest.mark.parametrize(("successes", "n"), [(0, 8), (1, 8), (8, 8), (3, 52), (250, 1000), (1, 10_000)])
def test_the_exact_interval_is_scipys(successes: int, n: int) -> None:
    interval = binomtest(successes, n).proportion_ci(0.95, "exact")
    assert clopper_pearson(successes, n) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_the_exact_interval_knows_nothing_of_no_trials() -> None:
    assert clopper_pearson(0, 0) is None


@settings(deadline=None)
@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_the_exact_binomial_test(up: int, down: int) -> None:
    expected = binomtest(up, up + down).pvalue if up + down else 1.0
    assert mcnemar(up, down) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("p_values", [[0.5], [0.01, 0.04, 0.03, 0.005], [0.02, 0.02, 0.9, 1.0, 0.0]], ids=len)
def test_holm_is_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]))


def test_the_clustered_error_is_that_of_a_regression_with_clustered_errors() -> None:
    trials = [("a", True), ("a", True), ("a", False), ("b", False), ("b", False), ("c", True), ("d", False)]
    outcome = np.array([float(success) for _, success in trials])
    groups = np.array([ord(cluster) for cluster, _ in trials])
    fit = OLS(outcome, np.ones(len(trials))).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    k = 4
    assert Clusters.of(trials).standard_error == pytest.approx(float(fit.bse[0]) * math.sqrt(k / (k - 1)))


def test_epochs_that_always_agree_are_worth_one_each() -> None:
    trials = [(task, task < 3) for task in range(10) for _ in range(5)]
    once = Rate.of(3, 10)
    clustered = Rate.clustered(trials)
    assert (clustered.count, clustered.n, clustered.value) == (15, 50, 0.3)
    assert (clustered.low, clustered.high) == pytest.approx((once.low, once.high), abs=0.01)


def test_one_trial_a_cluster_is_the_plain_interval() -> None:
    clustered = Rate.clustered([(task, task < 3) for task in range(10)])
    plain = Rate.of(3, 10)
    assert (clustered.low, clustered.high) == pytest.approx((plain.low, plain.high))


def test_many_epochs_of_tasks_that_all_went_well_count_each_task_once() -> None:
    assert Rate.clustered([(task, False) for task in range(8) for _ in range(5)]).high == Rate.of(0, 8).high


def test_epochs_of_one_task_say_little() -> None:
    assert Rate.clustered([("a", True), ("a", False)] * 50).n == 100
    assert Clusters.of([("a", True), ("a", False)] * 50).n_effective == 1


def test_no_trials_have_no_rate() -> None:
    assert Rate.clustered([]) == Rate.of(0, 0)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1))
def test_the_clustered_interval_is_never_narrower_than_the_plain_one(trials: list[tuple[int, bool]]) -> None:
    clustered = Rate.clustered(trials)
    plain = Rate.of(clustered.count, clustered.n)
    assert None not in (clustered.low, clustered.high, plain.low, plain.high)
    assert (clustered.high or 0) - (clustered.low or 0) >= (plain.high or 0) - (plain.low or 0) - 1e-12


def test_pass_hat_k_is_the_share_of_choices_that_are_all_good() -> None:
    assert all_of(2, [(3, 4), (4, 4), (1, 4)]) == ((3 / 6 + 1 + 0) / 3, 3)
    assert all_of(2, [(3, 4), (1, 1)]) == (0.5, 1)
    assert all_of(5, [(3, 4)]) == (None, 0)


def test_a_paired_difference_counts_both_directions() -> None:
    found = PairedDifference.of([(0, 1)] * 9 + [(1, 0)] + [(1, 1)] * 5 + [(0, 0)] * 5)
    assert (found.n, found.up, found.down) == (20, 9, 1)
    assert found.value == pytest.approx(0.4)
    assert found.p == pytest.approx(0.021484375)
    # (9 - 1) / 22 -+ 1.96 sqrt(11 - 64 / 22) / 22, by hand.
    assert (found.low, found.high) == pytest.approx((0.1102, 0.6170), abs=5e-5)


def test_no_pairs_prove_nothing() -> None:
    assert PairedDifference.of([]).p == 1


@pytest.mark.parametrize(("baseline", "detect", "power"), [(0.3, 0.1, 0.8), (0.05, 0.1, 0.9), (0.0, 0.2, 0.8)])
def test_the_plan_is_statsmodels(baseline: float, detect: float, power: float) -> None:
    expected = samplesize_proportions_2indep_onetail(detect, baseline, power, alpha=0.05, alternative="two-sided")
    assert cases_needed(baseline, detect, power=power) == math.ceil(expected)


def test_epochs_help_as_much_as_they_differ() -> None:
    assert cases_needed(0.3, 0.1) == 356
    assert cases_needed(0.3, 0.1, epochs=5, likeness=1) == 356
    assert cases_needed(0.3, 0.1, epochs=5, likeness=0) == 72
    assert cases_needed(0.3, 0.1, epochs=5, likeness=0.5) == 214


@pytest.mark.parametrize(("baseline", "detect"), [(0.95, 0.1), (-0.1, 0.1), (0.3, 0.0)])
def test_a_difference_that_cannot_be_is_refused(baseline: float, detect: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        cases_needed(baseline, detect)


def test_the_bound_that_a_clean_run_can_reach_follows_from_its_cases() -> None:
    n = cases_for_upper_bound(0.05)
    assert (Rate.of(0, n).high or 1) <= 0.05 < (Rate.of(0, n - 1).high or 0)
