"""The step that lets time pass."""

from __future__ import annotations

import time
from typing import ClassVar

from pydantic import Field

from pytest_rogue.published.protocol import Desk, Step
from pytest_rogue.published.waiting import wait_at_rest

QUIET = 1.0
"""Seconds without a change on the screen after which nothing more is waited for."""


class Sleep(Step):
    """What came before is given time: until the screen has been at rest for a second, at most that long."""

    type: ClassVar[str] = "sleep"

    seconds: float = Field(ge=0, le=600, allow_inf_nan=False)

    def apply(self, desk: Desk) -> None:
        """Wait; with the convention `upstream` exactly that long."""
        if desk.convention == "upstream":
            time.sleep(self.seconds)  # the published task's own number
        else:
            wait_at_rest(desk, self.seconds, quiet=min(QUIET, self.seconds))
