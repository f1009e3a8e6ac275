"""The environment of this process, read while another thread changes it.

pytest sets a variable before every phase of a test and removes it afterwards, whatever desktops start and end
meanwhile. To go through all variables fails where one of them vanishes on the way.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_TRIES = 20
"""Readings in which a variable vanishes; two in a row are hardly ever seen."""


def environment() -> dict[str, str]:
    """Return all variables that are there."""
    return {name: value for name in tuple(os.environ) if (value := os.environ.get(name)) is not None}


def undisturbed(read: Callable[[], T]) -> T:
    """Return what `read` returns, in which a library goes through all variables; it is called again where one vanished.

    Args:
        read: does nothing but look, or leaves nothing behind where it fails.

    Raises:
        KeyError: as `read` raises it, always.
    """
    for _ in range(_TRIES):
        try:
            return read()
        except KeyError:
            continue
    return read()
