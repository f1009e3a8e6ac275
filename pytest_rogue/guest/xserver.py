"""The guest's own connections to the X server."""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from typing import TYPE_CHECKING, Any

from Xlib import X
from Xlib import error as xerror
from Xlib.display import Display
from Xlib.error import ConnectionClosedError, DisplayError

from .faults import GuestError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LONGEST = 1 << 18
"""A megabyte, in units of four bytes."""


def connect() -> Display:
    """Open a connection to the display in the environment.

    Raises:
        GuestError: `x_lost` where it does not answer.
    """
    try:
        return Display(os.environ.get("DISPLAY", ""))
    except (DisplayError, ConnectionClosedError, OSError) as error:
        raise GuestError("x_lost", f"the X server does not answer: {error}") from None


class SharedConnection:
    """One connection for several threads; it is opened when it is first used.

    Args:
        prepare: is called with every new connection.
    """

    def __init__(self, prepare: Callable[[Display], None] = lambda _: None) -> None:
        self._prepare = prepare
        self._lock = threading.RLock()
        self._display: Display | None = None

    @contextlib.contextmanager
    def locked(self) -> Iterator[Display]:
        """Have the connection to oneself.

        Raises:
            GuestError: `x_lost` where the X server is gone; the next use tries again.
        """
        with self._lock:
            if self._display is None:
                display = connect()
                self._prepare(display)
                self._display = display
            try:
                yield self._display
            except (ConnectionClosedError, OSError) as error:
                self._display = None
                raise GuestError("x_lost", f"the X server has gone away: {error}") from None

    def close(self) -> None:
        """Close the connection; the next use opens another."""
        with self._lock:
            if self._display is not None:
                self._display.close()
                self._display = None


def read_property(display: Display, window: Any, name: str) -> Any:
    """Return the value of a window's property, or None where it has none or is gone.

    All of it is asked for at once: between two requests it may get shorter, and the second one would be refused.
    """
    try:
        found = window.get_property(display.intern_atom(name), X.AnyPropertyType, 0, _LONGEST)
    except (xerror.BadWindow, xerror.BadAtom):
        return None
    return None if found is None else found.value


def wait_for_event(display: Display, wanted: Callable[[Any], bool], seconds: float) -> bool:
    """Take events until a wanted one is among them, for so many seconds at most, and return whether one was."""
    deadline = time.monotonic() + seconds
    while True:
        events = [display.next_event() for _ in range(display.pending_events())]
        if any(map(wanted, events)):
            return True
        if (left := deadline - time.monotonic()) <= 0:
            return False
        select.select([display.fileno()], [], [], left)
