"""On a rate limit all who ask a model slow down, and recover together."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack

import pytest

from pytest_rogue.errors import ModelUnavailable, RateLimited
from pytest_rogue.models.pace import LONGEST_PAUSE, PAUSE, Pace


class Clock:
    """Stands still until it is put forward."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pace(clock: Clock) -> Pace:
    return Pace(clock)


def may_go(pace: Pace) -> bool:
    """True where a request would pass without waiting."""
    return pace._under_way < pace._window and pace._pause_left() == 0


def limited(pace: Pace, retry_after: float | None = None) -> None:
    with pytest.raises(RateLimited), pace.turn():
        raise RateLimited("slow down", retry_after)


def succeed(pace: Pace, times: int = 1) -> None:
    for _ in range(times):
        with pace.turn():
            pass


def at_once(pace: Pace) -> int:
    """Return how many requests pass at the same time."""
    with ExitStack() as turns:
        count = 0
        while count < 100 and may_go(pace):
            turns.enter_context(pace.turn())
            count += 1
        turns.pop_all()  # nothing is learnt from them
    pace._under_way -= count
    return count


def test_nobody_is_held_up_before_a_limit_is_met(pace: Pace) -> None:
    assert at_once(pace) == 100


@pytest.mark.parametrize(("retry_after", "pause"), [(None, PAUSE), (0.2, PAUSE), (30.0, 30.0), (3600.0, LONGEST_PAUSE)])
def test_after_a_limit_nobody_asks_until_the_pause_is_over(
    pace: Pace, clock: Clock, retry_after: float | None, pause: float
) -> None:
    limited(pace, retry_after)
    clock.now += pause - 0.01
    assert not may_go(pace)
    clock.now += 0.02
    assert may_go(pace)


def test_after_the_pause_one_request_tries_the_way_alone(pace: Pace, clock: Clock) -> None:
    limited(pace)
    clock.now += PAUSE
    assert at_once(pace) == 1


def test_with_each_success_more_may_ask_at_the_same_time(pace: Pace, clock: Clock) -> None:
    limited(pace)
    clock.now += PAUSE
    succeed(pace, 3)
    few = at_once(pace)
    succeed(pace, 40)
    assert 1 < few < at_once(pace) < 40


def test_limits_that_many_requests_meet_at_once_count_as_one(pace: Pace, clock: Clock) -> None:
    errors = [RateLimited("slow down") for _ in range(16)]
    turns = [pace.turn() for _ in errors]
    for turn in turns:
        turn.__enter__()
    for turn, error in zip(turns, errors, strict=True):
        turn.__exit__(type(error), error, None)

    clock.now += PAUSE
    succeed(pace, 8)
    assert at_once(pace) >= 8, "half of those that met the limit may ask again soon"


def test_other_errors_do_not_slow_anybody_down(pace: Pace) -> None:
    with pytest.raises(ModelUnavailable), pace.turn():
        raise ModelUnavailable("overloaded")
    assert at_once(pace) == 100


def test_whoever_waits_is_let_through_when_the_pause_is_over() -> None:
    pace = Pace(time.monotonic)
    limited(pace)
    passed = [threading.Event() for _ in range(4)]

    def go(event: threading.Event) -> None:
        with pace.turn():
            event.set()

    waiting = [threading.Thread(target=go, args=(event,)) for event in passed]
    for thread in waiting:
        thread.start()
    for thread in waiting:
        thread.join(60)
    assert all(event.is_set() for event in passed)
