"""How fast a model is asked, for all who ask it: on a rate limit all of them slow down, and recover together.

It works as TCP does (RFC 5681). When a request meets a rate limit, nobody asks until the provider's pause is over, then
one request tries the way alone. Each success lets more be under way at the same time, twice as many a round up to half
of those at which the limit was met, and from there one more a round.
"""

from __future__ import annotations

import math
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_rogue.errors import RateLimited

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAUSE = 1.0
"""Seconds without a request after a rate limit, where the provider does not ask for more."""

LONGEST_PAUSE = 300.0
"""A provider that asks for a longer pause is asked again after these seconds."""


class Pace:
    """Lets requests to one model pass.

    Args:
        clock: seconds that only go up.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._under_way = 0
        self._window = math.inf
        self._threshold = math.inf
        self._resumes = -math.inf
        self._limits_met = 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait until a request may be sent, and learn from how it ends."""
        limits_met = self._enter()
        try:
            yield
        except RateLimited as error:
            self._slow_down(limits_met, error.retry_after)
            raise
        except BaseException:
            self._leave(grows=False)
            raise
        else:
            self._leave(grows=True)

    def _enter(self) -> int:
        with self._changed:
            while self._under_way >= self._window or self._pause_left() > 0:
                self._changed.wait(self._pause_left() or None)
            self._under_way += 1
            return self._limits_met

    def _pause_left(self) -> float:
        return max(0.0, self._resumes - self._clock())

    def _leave(self, *, grows: bool) -> None:
        with self._changed:
            self._under_way -= 1
            if grows:
                self._window += 1.0 if self._window < self._threshold else 1.0 / self._window
            self._changed.notify_all()

    def _slow_down(self, limits_met: int, retry_after: float | None) -> None:
        with self._changed:
            pause = min(max(PAUSE, retry_after or 0.0), LONGEST_PAUSE)
            self._resumes = max(self._resumes, self._clock() + pause)
            if limits_met == self._limits_met:  # those sent before the last limit was met tell nothing new
                self._limits_met += 1
                self._threshold = max(1.0, self._under_way / 2)
                self._window = 1.0
            self._under_way -= 1
            self._changed.notify_all()
