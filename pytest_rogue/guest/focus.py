"""Keys that go to the window that was clicked.

The window manager gives a window the focus when it gets to the click, which on a busy machine is some moments later.
Keys that are pressed meanwhile go to the window that had the focus before: half a word here, half a word there.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from Xlib import X
from Xlib.protocol import event

from .xserver import read_property, wait_for_event

if TYPE_CHECKING:
    from Xlib.display import Display

LIMIT = 2.0
"""Seconds the window manager may take; keys are not held back for longer."""

_ASKED_AGAIN = 0.05
"""Seconds without an answer, after which it is asked again: a fresh openbox may leave something unread."""


def wait_for_focus(display: Display) -> None:
    """Wait until the window manager has handled the clicks of this connection, as long as `LIMIT` allows.

    It is asked how wide the frame of a window would be (EWMH `_NET_REQUEST_FRAME_EXTENTS`), and answers in turn. One
    that does not answer such questions is not waited for.
    """
    root = display.screen().root
    question = display.intern_atom("_NET_REQUEST_FRAME_EXTENTS")
    if question not in (read_property(display, root, "_NET_SUPPORTED") or ()):
        return
    window = root.create_window(-10, -10, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask)
    note = event.ClientMessage(window=window, client_type=question, data=(32, [0] * 5))
    deadline = time.monotonic() + LIMIT
    answer = display.intern_atom("_NET_FRAME_EXTENTS")
    answered = False
    while not answered and time.monotonic() < deadline:
        root.send_event(note, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        display.flush()
        answered = wait_for_event(
            display, lambda got: got.type == X.PropertyNotify and got.atom == answer, _ASKED_AGAIN
        )
    window.destroy()
    display.sync()
