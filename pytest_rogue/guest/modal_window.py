"""A window that the window system itself keeps modal: on top, with pointer and keyboard, until it is answered.

It does not let itself be hidden: it comes back on top and to its place as soon as it hears that a part of it is not
seen.
"""

from __future__ import annotations

from .reporting_window import Gdk, GLib, Gtk, ReportingWindow, report
from .window_sight import COVERED, MOVED, SEEN, WindowWatch

GRAB_EVERY_MS = 20
GRAB_REPORT_AFTER = 100  # tries, about two seconds
RETURN_AFTER_MS = 20
"""So that a window which fights for the place on top cannot make it come back more often than this."""
_HELD = Gdk.SeatCapabilities.ALL


class ModalWindow(ReportingWindow):
    """Holds pointer and keyboard until `answer` is called or its owner ends it.

    Args:
        title: shown to window manager and accessibility, literally.
    """

    def __init__(self, title: str) -> None:
        super().__init__(title, type_hint=Gdk.WindowTypeHint.DIALOG, modal=True, decorated=False)
        self.set_position(Gtk.WindowPosition.CENTER)
        self._obscured = False
        self._returning = False
        self._watch = WindowWatch()
        self._held = False
        self._tries = 0
        self.connect("grab-broken-event", self._on_grab_broken)
        self.connect("key-press-event", self._on_key)
        self.add_events(Gdk.EventMask.VISIBILITY_NOTIFY_MASK)
        self.connect("visibility-notify-event", self._on_visibility)

    # --- holding pointer and keyboard --------------------

    def _on_map(self, *arguments: object) -> None:
        super()._on_map(*arguments)
        self._hold()

    def _hold(self) -> None:
        self._held = False
        self._tries = 0
        if self._try_grab():
            GLib.timeout_add(GRAB_EVERY_MS, self._try_grab)

    def _try_grab(self) -> bool:
        """Return True where another try is needed: another window may hold the pointer, an open menu for instance."""
        if self._held or self._over:
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
        if not self._over:
            self._hold()

    def _let_go(self) -> None:
        self.get_display().get_default_seat().ungrab()

    # --- staying in sight --------------------

    def _on_shown(self) -> None:
        self._come_into_sight()

    def _on_visibility(self, _: object, event: Gdk.EventVisibility) -> None:
        self._obscured = event.state != Gdk.VisibilityState.UNOBSCURED
        self._come_into_sight()

    def _come_into_sight(self) -> None:
        if self._obscured and self._drawn and not self._returning:
            self._returning = True
            GLib.timeout_add(RETURN_AFTER_MS, self._return)

    def _return(self) -> bool:
        self._returning = False
        sight = SEEN if self._over else self._watch.sight(self._place)
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
