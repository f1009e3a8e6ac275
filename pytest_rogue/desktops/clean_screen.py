"""A fresh desktop shows what belongs there and nothing else: a first-run wizard would stand in the agent's way."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_rogue.errors import DesktopStartError

if TYPE_CHECKING:
    from pytest_rogue.desktops.guest_client import GuestClient

FRESH_WINDOWS = ("Xfce4-panel",)
"""Class of every window on a fresh desktop of the image: the panel."""


def require_clean_screen(guest: GuestClient) -> None:
    """Do nothing where the windows are those of a fresh desktop.

    Raises:
        DesktopStartError: one is there that should not be, or one is missing; the message names it.
    """
    windows = guest.windows()
    there, expected = Counter(window.window_class for window in windows), Counter(FRESH_WINDOWS)
    if unexpected := there - expected:
        named = ", ".join(
            f"'{window.title}' ({window.window_class})" for window in windows if window.window_class in unexpected
        )
        raise DesktopStartError(f"the fresh desktop shows a window that does not belong there: {named}")
    if missing := expected - there:
        raise DesktopStartError(f"the fresh desktop has no window of class {', '.join(missing)}")
