"""Windows as the window manager lists them (EWMH), and programs started for their window."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from Xlib import X
from Xlib import error as xerror
from Xlib.protocol import event

from .commands import spawn
from .faults import GuestError
from .xserver import SharedConnection, read_property

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from Xlib.display import Display

_POLL = 0.015
_STDERR_KEPT = 4096


@dataclass(frozen=True, slots=True)
class Window:
    """A window; position and size are those of its content, in pixels. One that is minimised is not `shown`."""

    id: int
    title: str
    window_class: str
    x: int
    y: int
    width: int
    height: int
    active: bool
    shown: bool

    def to_json(self) -> dict[str, Any]:
        """Return it as the protocol writes it."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        fields["class"] = fields.pop("window_class")
        return fields


class Windows:
    """The window manager's list; may be used by several threads."""

    def __init__(self) -> None:
        self._connection = SharedConnection()

    def list(self) -> list[Window]:
        """Return all windows, oldest first."""
        with self._connection.locked() as display:
            root = display.screen().root
            active = read_property(display, root, "_NET_ACTIVE_WINDOW")
            identities = read_property(display, root, "_NET_CLIENT_LIST")
            found = (_describe(display, identity, active) for identity in (() if identities is None else identities))
            return [window for window in found if window]

    def find(self, matches: Callable[[Window], bool]) -> Window | None:
        """Return the newest window that `matches`, or None."""
        return next((window for window in reversed(self.list()) if matches(window)), None)

    def wait_titled(self, part: str, timeout: float, *, give_up: Callable[[], None] = lambda: None) -> Window:
        """Wait until there is a window whose title contains `part`.

        Args:
            part: of the title.
            timeout: seconds.
            give_up: is called between looks; raises to end the wait.

        Raises:
            GuestError: `window_timeout`, naming the windows that are there.
        """
        deadline = time.monotonic() + timeout
        while True:
            if window := self.find(lambda window: window.shown and part in window.title):
                return window
            give_up()
            left = deadline - time.monotonic()
            if left <= 0:
                break
            time.sleep(min(_POLL, left))
        titles = ", ".join(repr(window.title) for window in self.list()) or "none"
        message = f"no window whose title contains {part!r} came within {timeout:g} s; the windows there are: {titles}"
        raise GuestError("window_timeout", message)

    def activate(self, window: Window) -> None:
        """Raise a window and give it the focus."""
        self._tell(window, "_NET_ACTIVE_WINDOW", 2, X.CurrentTime, 0)

    def close(self, window: Window) -> None:
        """Ask a window to close."""
        self._tell(window, "_NET_CLOSE_WINDOW", X.CurrentTime, 2)

    def _tell(self, window: Window, message: str, *data: int) -> None:
        with self._connection.locked() as display:
            target = display.create_resource_object("window", window.id)
            tell_window_manager(display, target, message, *data)


def tell_window_manager(display: Display, window: Any, message: str, *data: int) -> None:
    """Send a client message about `window` to the root window, as EWMH asks for."""
    padded = [*data, *[0] * (5 - len(data))]
    note = event.ClientMessage(window=window, client_type=display.intern_atom(message), data=(32, padded))
    mask = X.SubstructureRedirectMask | X.SubstructureNotifyMask
    display.screen().root.send_event(note, event_mask=mask)
    display.sync()


def _describe(display: Display, identity: int, active: Sequence[int] | None) -> Window | None:
    """Ask for all about a window; None where it has gone meanwhile."""
    window = display.create_resource_object("window", identity)
    try:
        shown = window.get_attributes().map_state == X.IsViewable
        geometry = window.get_geometry()
        corner = display.screen().root.translate_coords(window, 0, 0)
        names = bytes(read_property(display, window, "WM_CLASS") or b"").split(b"\0")
        title = read_property(display, window, "_NET_WM_NAME") or read_property(display, window, "WM_NAME") or ""
    except (xerror.BadWindow, xerror.BadDrawable):
        return None
    return Window(
        id=identity,
        title=title if isinstance(title, str) else bytes(title).decode("utf-8", "replace"),
        window_class=names[1].decode("latin-1") if len(names) > 1 else "",
        x=corner.x,
        y=corner.y,
        width=geometry.width,
        height=geometry.height,
        active=active is not None and identity in active,
        shown=shown,
    )


class Program:
    """A program started for its window. It is left alone; the last of what it writes to stderr is kept."""

    def __init__(self, command: Sequence[str]) -> None:
        self._name = command[0]
        self._process = spawn(command, stderr=subprocess.PIPE)
        self._tail = b""
        self._reader = threading.Thread(target=self._read, name="stderr", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stderr  # noqa: S101  # a pipe was asked for
        descriptor = self._process.stderr.fileno()
        while data := os.read(descriptor, _STDERR_KEPT):
            self._tail = (self._tail + data)[-_STDERR_KEPT:]
        self._process.stderr.close()
        self._process.wait()

    def raise_if_failed(self) -> None:
        """Do nothing while it runs or where it ended well (it may have handed over to a running program).

        Raises:
            GuestError: `launch_failed`, with what it wrote to stderr.
        """
        code = self._process.poll()
        if not code:
            return
        self._reader.join(0.2)
        said = self._tail.decode("utf-8", "replace").strip() or "nothing"
        raise GuestError(
            "launch_failed", f"{self._name} ended with code {code} before its window came; it said: {said}"
        )
