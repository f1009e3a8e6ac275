"""What the guest does with memory it has freed: it keeps it for the next screenshot, but not while it stands by."""

from __future__ import annotations

import ctypes

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8


def keep_freed() -> None:
    """Do not give freed memory back: to get the 30 MB of a screenshot anew costs more than to fill them (10 ms)."""
    libc = ctypes.CDLL(None)
    libc.mallopt(_M_MMAP_THRESHOLD, 32 << 20)
    libc.mallopt(_M_TRIM_THRESHOLD, 256 << 20)
    libc.mallopt(_M_ARENA_MAX, 1)  # every thread would keep its own


def give_back() -> None:
    """Give back what is free now: a desktop may stand by for long before anybody looks at it."""
    ctypes.CDLL(None).malloc_trim(0)
