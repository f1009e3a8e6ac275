"""Which windows open, close, and have the focus, from events of the X server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from Xlib import X
from Xlib.error import ConnectionClosedError

from .faults import GuestError
from .xserver import connect, read_property

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .recorder import Event


class OpenWindows:
    """The windows that the window manager lists; those that are there already are not reported.

    Raises:
        GuestError: `x_lost`.
    """

    name = "windows"
    how = "events of the X server"

    def __init__(self) -> None:
        self._display = connect()
        self._root = self._display.screen().root
        self._root.change_attributes(event_mask=X.PropertyChangeMask)
        self._known: dict[int, dict[str, Any]] = {}
        self._focused = 0
        for _ in self._changes():
            pass

    def descriptor(self) -> int:
        """Return that of the connection."""
        return int(self._display.fileno())

    def news(self) -> Iterator[Event]:
        """Return what has changed."""
        try:
            if not self._display.pending_events():
                return
            while self._display.pending_events():
                self._display.next_event()
            yield from self._changes()
        except ConnectionClosedError as error:
            raise GuestError("x_lost", f"the X server has gone away: {error}") from None

    def close(self) -> None:
        """Close the connection."""
        try:
            self._display.close()
        except ConnectionClosedError:
            return  # it was closed from the other side

    def _changes(self) -> Iterator[Event]:
        listed = list(read_property(self._display, self._root, "_NET_CLIENT_LIST") or ())
        for window in self._known.keys() - set(listed):
            yield "window.closed", self._known.pop(window)
        for window in listed:
            if window not in self._known:
                self._known[window] = self._facts(window)
                yield "window.opened", self._known[window]
        active = (read_property(self._display, self._root, "_NET_ACTIVE_WINDOW") or (0,))[0]
        if active != self._focused and active in self._known:
            self._known[active] = self._facts(active)
            yield "window.focused", self._known[active]
        self._focused = active

    def _facts(self, number: int) -> dict[str, Any]:
        window = self._display.create_resource_object("window", number)
        title = read_property(self._display, window, "_NET_WM_NAME")
        pid = read_property(self._display, window, "_NET_WM_PID")
        text = title.decode("utf-8", "replace") if isinstance(title, bytes) else str(title or "")
        return {"id": number, "title": text[:200], "pid": int(pid[0]) if pid else None}
