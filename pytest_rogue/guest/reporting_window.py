"""A GTK window of an obstacle, in a process of its own, that reports what becomes of it.

It reports to the standard output it was given (`window_events` lists what). How it keeps its place on the screen is
decided by what is made of it: `modal_window`, `side_window`.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import gi

for _library, _version in (("Atk", "1.0"), ("Gdk", "3.0"), ("Gtk", "3.0"), ("Pango", "1.0")):
    gi.require_version(_library, _version)
from gi.repository import Atk, Gdk, GLib, Gtk, Pango  # noqa: E402  # the versions have to be named first

__all__ = ["GLib", "Gdk", "Gtk", "ReportingWindow", "input_facts", "label", "read_spec", "report", "use_style"]

# The channel is the standard output that we were given. What a library prints goes with the complaints.
_owner = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)

OWNER_GONE = 3
"""Exit status without an owner: never that of an answered window."""
DESTROYED = 4
"""Exit status where somebody else has destroyed the window; GTK itself takes 1 where its connection was cut."""


class ReportingWindow(Gtk.Window):  # type: ignore[misc]  # GTK has no types
    """Stays until it is answered or its owner ends it.

    Args:
        title: shown to window manager and accessibility, literally.
        options: properties of the GTK window.
    """

    def __init__(self, title: str, **options: Any) -> None:
        super().__init__(title=title, resizable=False, **options)
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
        self._over = False
        self.connect("map-event", self._on_map)
        self.connect("unmap-event", self._on_unmap)
        self.connect("window-state-event", self._on_state)
        self.connect("delete-event", self._on_delete)
        self.connect("destroy", self._on_destroy)

    def show_reporting(self) -> None:
        """Show it, with no button focused: keys that were meant for another window must not answer."""
        self.show_all()
        self.set_focus(None)
        self._come_forward()
        self.get_window().get_frame_clock().connect("after-paint", self._on_painted)

    def answer(self, word: str) -> None:
        """Report the first answer with the input that gave it, then go away. Later answers change nothing."""
        if not self._over:
            report("answer", answer=word, **input_facts(Gtk.get_current_event()))
            self._go()

    def dismiss(self) -> None:
        """Go away without an answer."""
        if not self._over:
            report("dismissed")
            self._go()

    def _go(self) -> None:
        self._over = True
        self._let_go()
        self.hide()
        self.get_display().sync()
        report("closed")
        Gtk.main_quit()

    # --- what is made of it may add to these --------------------

    def _come_forward(self) -> None:
        self.present()

    def _let_go(self) -> None:
        """Give back what it holds."""

    def _on_shown(self) -> None:
        """Go on once it stands on the screen, drawn."""

    def _on_map(self, *_: object) -> None:
        self._mapped = True
        self.queue_draw()

    def _on_delete(self, *_: object) -> bool:
        report("dismiss_attempt", by="window manager")
        return True

    # --- coming and staying --------------------

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
        self._on_shown()

    def _on_unmap(self, *_: object) -> None:
        if not self._over:
            report("dismiss_attempt", by="unmap")
            GLib.idle_add(self._come_back)

    def _on_state(self, _: object, event: Gdk.EventWindowState) -> None:
        if event.new_window_state & Gdk.WindowState.ICONIFIED:
            GLib.idle_add(self._come_back)

    def _on_destroy(self, *_: object) -> None:
        if not self._over:
            os._exit(DESTROYED)

    def _come_back(self) -> bool:
        if not self._over:
            self.deiconify()
            self.get_window().show()
            self._come_forward()
        return False


def label(text: str, style: str) -> Gtk.Label:
    """Return words, shown literally and wrapped to the width they are given."""
    made = Gtk.Label(label=text, use_markup=False, use_underline=False, xalign=0, yalign=0)
    made.set_line_wrap(True)
    made.set_line_wrap_mode(Pango.WrapMode.WORD_CHAR)
    made.set_max_width_chars(1)  # it takes the width it is given, and asks for none
    made.get_style_context().add_class(style)
    return made


def use_style(window: Gtk.Window, style: bytes) -> None:
    """Style the window's screen; nobody else's windows are in this process."""
    provider = Gtk.CssProvider()
    provider.load_from_data(style)
    Gtk.StyleContext.add_provider_for_screen(window.get_screen(), provider, Gtk.STYLE_PROVIDER_PRIORITY_USER)


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
