"""A GTK window that the window system itself keeps modal: on top, with pointer and keyboard, until it is answered.

It runs in a process of its own and reports to the standard output it was given (`window_events` lists what). It does
not let itself be hidden: it comes back on top and to its place as soon as it hears that a part of it is not seen.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Atk, Gdk, GLib, Gtk  # noqa: E402  # the version has to be named first

from .window_sight import COVERED, MOVED, SEEN, WindowWatch  # noqa: E402

# The channel is the standard output that we were given. What a library prints goes with the complaints.
_owner = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)

GRAB_EVERY_MS = 20
GRAB_REPORT_AFTER = 100  # tries, about two seconds
RETURN_AFTER_MS = 20
"""So that a window which fights for the place on top cannot make it come back more often than this."""
OWNER_GONE = 3
"""Exit status without an owner: never that of an answered window."""
_HELD = Gdk.SeatCapabilities.ALL


class ModalWindow(Gtk.Window):  # type: ignore[misc]  # GTK has no types
    """Stays until `answer` is called or its owner ends it.

    Args:
        title: shown to window manager and accessibility, literally.
    """

    def __init__(self, title: str) -> None:
        super().__init__(title=title, type_hint=Gdk.WindowTypeHint.DIALOG, modal=True, decorated=False, resizable=False)
        self.set_position(Gtk.WindowPosition.CENTER)
        self.set_keep_above(True)
        self.set_skip_taskbar_hint(True)
        self.set_skip_pager_hint(True)
        self.stick()
        accessible = self.get_accessible()
        accessible.set_name(title)
        accessible.set_role(Atk.Role.DIALOG)
        self._mapped = False
        self._drawn = False
        self._place: dict[str, int] = {}
        self._obscured = False
        self._returning = False
        self._watch = WindowWatch()
        self._held = False
        self._tries = 0
        self._answered = False
        self.connect("map-event", self._on_map)
        self.connect("unmap-event", self._on_unmap)
        self.connect("grab-broken-event", self._on_grab_broken)
        self.connect("window-state-event", self._on_state)
        self.connect("delete-event", self._on_delete)
        self.connect("key-press-event", self._on_key)
        self.add_events(Gdk.EventMask.VISIBILITY_NOTIFY_MASK)
        self.connect("visibility-notify-event", self._on_visibility)

    def show_and_hold(self) -> None:
        """Show it, with no button focused: keys that were meant for another window must not answer."""
        self.show_all()
        self.set_focus(None)
        self.present()
        self.get_window().get_frame_clock().connect("after-paint", self._on_painted)

    def answer(self, word: str) -> None:
        """Report the first answer with the input that gave it, then go away. Later answers change nothing."""
        if self._answered:
            return
        self._answered = True
        report("answer", answer=word, **input_facts(Gtk.get_current_event()))
        self.get_display().get_default_seat().ungrab()
        self.hide()
        self.get_display().sync()
        report("closed")
        Gtk.main_quit()

    def _on_painted(self, _clock: Gdk.FrameClock) -> None:
        if self._drawn or not self._mapped:
            return
        self._drawn = True
        self.get_display().sync()
        window = self.get_window()
        _, x, y = window.get_origin()
        size = {"width": window.get_width(), "height": window.get_height()}
        self._place = {"id": window.get_xid(), "x": x, "y": y, **size}
        report("mapped", pid=os.getpid(), **self._place)
        self._come_into_sight()

    # --- holding pointer and keyboard --------------------

    def _on_map(self, *_: object) -> None:
        self._mapped = True
        self.queue_draw()
        self._hold()

    def _hold(self) -> None:
        self._held = False
        self._tries = 0
        if self._try_grab():
            GLib.timeout_add(GRAB_EVERY_MS, self._try_grab)

    def _try_grab(self) -> bool:
        """Return True where another try is needed: another window may hold the pointer, an open menu for instance."""
        if self._held or self._answered:
            return False
        seat = self.get_display().get_default_seat()
        status = seat.grab(self.get_window(), _HELD, True, None, None, None)  # True: our own widgets get their events
        self._tries += 1
        self._held = status == Gdk.GrabStatus.SUCCESS
        if self._held:
            report("grabbed")
        elif self._tries == GRAB_REPORT_AFTER:
            report("not_grabbed", reason=status.value_nick)
        return not self._held

    def _on_grab_broken(self, *_: object) -> None:
        if not self._answered:
            self._hold()

    # --- staying --------------------

    def _on_delete(self, *_: object) -> bool:
        report("dismiss_attempt", by="window manager")
        return True

    def _on_unmap(self, *_: object) -> None:
        if not self._answered:
            report("dismiss_attempt", by="unmap")
            GLib.idle_add(self._come_back)

    def _on_state(self, _: object, event: Gdk.EventWindowState) -> None:
        if event.new_window_state & Gdk.WindowState.ICONIFIED:
            GLib.idle_add(self._come_back)

    def _come_back(self) -> bool:
        if not self._answered:
            self.deiconify()
            self.get_window().show()
            self.present()
        return False

    def _on_visibility(self, _: object, event: Gdk.EventVisibility) -> None:
        self._obscured = event.state != Gdk.VisibilityState.UNOBSCURED
        self._come_into_sight()

    def _come_into_sight(self) -> None:
        if self._obscured and self._drawn and not self._returning:
            self._returning = True
            GLib.timeout_add(RETURN_AFTER_MS, self._return)

    def _return(self) -> bool:
        self._returning = False
        sight = SEEN if self._answered else self._watch.sight(self._place)
        if sight in (COVERED, MOVED):
            report(sight)
            self.move(self._place["x"], self._place["y"])  # so that the window manager agrees
            self._watch.bring_back(self._place)
        return False

    def _on_key(self, _: object, event: Gdk.EventKey) -> bool:
        closes = event.keyval == Gdk.KEY_F4 and bool(event.state & Gdk.ModifierType.MOD1_MASK)
        if closes or event.keyval == Gdk.KEY_Escape:
            report("dismiss_attempt", by="Alt+F4" if closes else "Escape")
            return True
        return False


def report(event: str, **facts: object) -> None:
    """Write one event to the owner."""
    _owner.write(json.dumps({"event": event, **facts}) + "\n")


def read_spec() -> dict[str, Any]:
    """Read the specification, one line of JSON, and end the program when standard input ends: its owner is gone."""
    spec: dict[str, Any] = json.loads(sys.stdin.readline())
    GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IOCondition.HUP, lambda *_: os._exit(OWNER_GONE))
    return spec


def input_facts(event: Gdk.Event | None) -> dict[str, object]:
    """Say which input gave an answer. Without an event it came over the accessibility bus."""
    if event is None:
        return {"by": "accessibility"}
    known, key = event.get_keyval()
    if known:
        return {"by": "keyboard", "key": Gdk.keyval_name(key)}
    _, x, y = event.get_root_coords()
    return {"by": "pointer", "x": round(x), "y": round(y)}
