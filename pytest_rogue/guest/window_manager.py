"""Proofs that a window manager manages and that the screen is painted."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from Xlib import X

from .windows import tell_window_manager
from .xserver import connect, read_property

if TYPE_CHECKING:
    from collections.abc import Callable

    from .screen import Frame

BACKGROUND = 0x3A6EA5
"""Colour of the desktop: red, green, blue."""

_FIRST_WAIT = 0.012
_LONGEST_WAIT = 0.1


def paint_background() -> None:
    """Give the root window its colour."""
    display = connect()
    root = display.screen().root
    root.change_attributes(background_pixel=BACKGROUND)
    root.clear_area()
    display.sync()
    display.close()


def is_painted(frame: Frame) -> bool:
    """Tell whether anything but black is on the screen."""
    return frame.image().getbbox() is not None


def wait_managing(check: Callable[[], None]) -> None:
    """Wait until the window manager has really taken a window.

    A fresh openbox may leave the first request to show a window unread until another event arrives, so a tiny window is
    shown again and again: the property that announces a window manager proves nothing.

    Args:
        check: is called between tries; raises to end the wait.
    """
    display = connect()
    wait = _FIRST_WAIT
    managed = False
    while not managed:
        check()
        window = display.screen().root.create_window(-10, -10, 1, 1, 0, X.CopyFromParent)
        window.map()
        display.sync()
        deadline = time.monotonic() + wait
        while not managed and time.monotonic() < deadline:
            time.sleep(wait / 6)
            managed = read_property(display, window, "WM_STATE") is not None
        window.destroy()
        display.sync()
        wait = min(wait * 1.3, _LONGEST_WAIT)
    display.close()


def use_one_workspace() -> None:
    """Take away the other workspaces: a turn of the mouse wheel over the background would make all windows vanish."""
    display = connect()
    tell_window_manager(display, display.screen().root, "_NET_NUMBER_OF_DESKTOPS", 1)
    display.close()
