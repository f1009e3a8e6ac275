"""Every error of the package has a policy, and a subclass inherits its base's."""

from __future__ import annotations

import pytest

from pytest_rogue import errors
from pytest_rogue.interaction import Usage
from pytest_rogue.outcome import Ending, Outcome


@pytest.mark.parametrize("kind", [errors.OutOfCredit, errors.DeadKey, errors.UnknownModel, errors.BudgetSpent])
def test_a_fault_that_every_later_item_would_meet_ends_the_run(kind: type[errors.ModelError]) -> None:
    assert errors.policy_for(kind("x")).ends_run
    assert errors.policy_for(kind).retries == 0


@pytest.mark.parametrize("kind", [errors.ModelUnavailable, errors.RateLimited])
def test_a_passing_fault_is_tried_again_and_ends_no_run(kind: type[errors.ModelError]) -> None:
    policy = errors.policy_for(kind("x"))
    assert policy.retries > 0
    assert not policy.ends_run


def test_a_full_context_is_an_ending_of_its_own_and_leaves_the_verdict_to_decide() -> None:
    policy = errors.policy_for(errors.ContextWindowExceeded)
    assert (policy.outcome, policy.ending) == (None, Ending.CONTEXT_WINDOW_EXCEEDED)


@pytest.mark.parametrize("kind", [errors.GuestFault, errors.RecordError, KeyError, KeyboardInterrupt])
def test_what_stands_in_no_row_is_an_error_that_is_not_retried(kind: type[BaseException]) -> None:
    policy = errors.policy_for(kind)
    assert (policy.outcome, policy.retries, policy.ends_run) == (Outcome.ERROR, 0, False)


@pytest.mark.parametrize("error", [errors.ModelError("x"), errors.RateLimited("x", 3.0), errors.ModelRefused("x")])
def test_a_model_error_has_used_nothing_until_it_is_told_so(error: errors.ModelError) -> None:
    assert error.usage == Usage()
    error.usage = Usage(calls=2)
    assert type(error)("another").usage == Usage()


def test_a_spent_budget_is_nobodys_fault_and_what_it_cut_short_was_not_run() -> None:
    policy = errors.policy_for(errors.BudgetSpent)
    assert (policy.outcome, policy.ending) == (Outcome.NOT_RUN, Ending.BUDGET)


def test_a_lost_gateway_is_a_fault_of_the_instrument_and_is_not_asked_again() -> None:
    lost = errors.GatewayLost("x")
    assert isinstance(lost, errors.InfraError)
    assert (errors.policy_for(lost).outcome, errors.policy_for(lost).retries) == (Outcome.ERROR, 0)
