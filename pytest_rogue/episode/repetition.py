"""Turns that do the same to the same screen, again and again."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_rogue.interaction import Action

TIMES = 3
"""So many turns in a row make a repetition."""


class Repetition:
    """Counts the turns in a row that did the same and left the screen as it was.

    Turns that only wait are not counted: whoever waits for something does nothing else, and is not to be hurried.
    """

    def __init__(self) -> None:
        self._last: tuple[tuple[Action, ...], bytes] | None = None
        self.times = 0

    def note(self, actions: tuple[Action, ...], screenshot: bytes | None) -> str:
        """Take in a turn.

        Args:
            actions: what was done.
            screenshot: the screen after it, None where it is not known.

        Returns:
            What the agent is told about it, empty for nothing.
        """
        if screenshot is None or all(action.kind == "wait" for action in actions):
            self._last, self.times = None, 0
            return ""
        turn = (actions, hashlib.sha256(screenshot).digest())
        self.times = self.times + 1 if turn == self._last else 1
        self._last = turn
        if self.times < TIMES:
            return ""
        return f"your last {self.times} turns did the same, and the screen looked the same after each of them."
