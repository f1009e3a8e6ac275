"""The desktops of this process that are running, so that all of them can be ended at once.

A desktop that nobody refers to any more ends by itself and is not kept alive by standing here.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_rogue.desktops.protocol import Desktop

_running: weakref.WeakSet[Desktop] = weakref.WeakSet()
_lock = threading.Lock()


def register(desktop: Desktop) -> None:
    """Note that `desktop` runs."""
    with _lock:
        _running.add(desktop)


def forget(desktop: Desktop) -> None:
    """Note that `desktop` has been stopped."""
    with _lock:
        _running.discard(desktop)


def running() -> tuple[Desktop, ...]:
    """Return the desktops that were started here and not stopped."""
    with _lock:
        return tuple(_running)


def stop_all() -> int:
    """Stop every running desktop of this process; return how many there were."""
    desktops = running()
    for desktop in desktops:
        desktop.stop()
    return len(desktops)
