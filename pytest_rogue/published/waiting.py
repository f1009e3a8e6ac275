"""Wait for something on a desktop, within a bound."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.published.protocol import Desk

_T = TypeVar("_T")

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 0.5


def wait_for(look: Callable[[], _T | None], seconds: float) -> _T | None:
    """Return what `look` finds, as soon as it finds something; None where that is not within `seconds`."""
    deadline = time.monotonic() + seconds
    pause = _FIRST_PAUSE
    while (found := look()) is None:
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        time.sleep(min(pause, left))
        pause = min(pause * 1.5, _LONGEST_PAUSE)
    return found


def wait_at_rest(desk: Desk, seconds: float, *, quiet: float) -> None:
    """Wait until the screen has not changed for `quiet` seconds, at most `seconds`."""
    desk.guest.step(0, None, quiet=quiet, limit=seconds, screenshot=False)
