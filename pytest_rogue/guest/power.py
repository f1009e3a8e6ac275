"""The desktop's power: on, until something switches it off for good."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class PowerSwitch:
    """Goes from on to off, once. Its methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._off = threading.Event()
        self._consequences: list[Callable[[], None]] = []

    @property
    def is_off(self) -> bool:
        """True once it was switched off."""
        return self._off.is_set()

    def when_off(self, consequence: Callable[[], None]) -> None:
        """Have `consequence` called when it is switched off; those named later are called first."""
        self._consequences.insert(0, consequence)

    def off(self) -> None:
        """Switch it off and return when all consequences have come; again changes nothing."""
        with self._lock:
            if self._off.is_set():
                return
            self._off.set()
            for consequence in self._consequences:
                consequence()

    def wait_until_down(self) -> None:
        """Wait until all consequences have come of an `off` that was called."""
        with self._lock:
            return

    def wait(self, seconds: float) -> bool:
        """Wait until it is off, at most so many seconds; return whether it is."""
        return self._off.wait(seconds)
