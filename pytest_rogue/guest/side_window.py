"""A window beside the work: it holds nothing, takes no keys when it comes, and may be left alone or closed."""

from __future__ import annotations

from .reporting_window import Gdk, ReportingWindow

MARGIN = 24
"""Pixels between the window and the edge of the screen."""


class SideWindow(ReportingWindow):
    """Stands in the upper right corner, above other windows, until it is answered or closed.

    Args:
        title: shown to window manager and accessibility, literally.
        width: in pixels.
        decorated: True for the frame of an ordinary window, with its button to close it.
    """

    def __init__(self, title: str, *, width: int, decorated: bool) -> None:
        hint = Gdk.WindowTypeHint.NORMAL if decorated else Gdk.WindowTypeHint.NOTIFICATION
        super().__init__(title, type_hint=hint, decorated=decorated, focus_on_map=False)
        self._width = width

    def show_beside(self) -> None:
        """Show it in its corner; the keyboard stays where it is."""
        self.set_size_request(self._width, -1)
        screen = self.get_display().get_monitor(0).get_geometry()
        self.set_gravity(Gdk.Gravity.NORTH_EAST)
        self.move(screen.width - self._width - MARGIN, MARGIN)
        self.show_reporting()

    def _come_forward(self) -> None:
        """Do not ask for the keyboard: it is on top anyway."""

    def _on_delete(self, *_: object) -> bool:
        self.dismiss()
        return True
