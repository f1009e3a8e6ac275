"""Whether a window can be seen: all of it on the screen, and nothing over it. And how it comes back into sight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from Xlib import X
from Xlib.error import BadDrawable, BadWindow

from .xserver import SharedConnection

if TYPE_CHECKING:
    from collections.abc import Mapping

SEEN = ""
UNMAPPED = "unmapped"
MOVED = "moved"
COVERED = "covered"


class Box(NamedTuple):
    """A rectangle of the screen, borders included; the right and lower edges lie outside it."""

    left: int
    top: int
    right: int
    bottom: int

    def holds(self, other: Box) -> bool:
        """Return True where all of `other` lies in it."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and self.right >= other.right
            and self.bottom >= other.bottom
        )

    def meets(self, other: Box) -> bool:
        """Return True where both have a pixel in common."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


class WindowWatch:
    """Asks the X server about windows.

    Every method raises `GuestError` (`x_lost`) where the X server is gone.
    """

    def __init__(self) -> None:
        self._connection = SharedConnection()

    def viewable(self, window: int) -> bool:
        """Return True where the window and all that it stands in are mapped."""
        with self._connection.locked() as display:
            return _is_mapped(display.create_resource_object("window", window))

    def sight(self, place: Mapping[str, int]) -> str:
        """Say whether a window can be seen.

        Args:
            place: its `id`, and the `width` and `height` it has when all of it is there.

        Returns:
            `SEEN`; `UNMAPPED`; `MOVED` where a part of it lies off the screen or was cut off; `COVERED` where a window
            above it, or one that was put into it, overlaps it.
        """
        with self._connection.locked() as display:
            try:
                return _sight(display.screen().root, display.create_resource_object("window", place["id"]), place)
            except (BadWindow, BadDrawable):
                return UNMAPPED

    def bring_back(self, place: Mapping[str, int]) -> None:
        """Put a window on top of all others and to its `x` and `y`, whatever the window manager thinks of it."""
        with self._connection.locked() as display:
            root = display.screen().root
            window = display.create_resource_object("window", place["id"])
            try:
                here = root.translate_coords(window, 0, 0)
                frame = window
                while (parent := frame.query_tree().parent) and parent.id != root.id:
                    frame = parent
                at = frame.get_geometry()
                x, y = at.x + place["x"] - here.x, at.y + place["y"] - here.y
                kept = frame.get_attributes().override_redirect
                frame.change_attributes(override_redirect=True)  # else the window manager would get to decide
                frame.configure(x=x, y=y, stack_mode=X.Above)
                frame.change_attributes(override_redirect=kept)
                display.sync()
            except (BadWindow, BadDrawable):
                return  # it has gone meanwhile, which others report

    def close(self) -> None:
        """Close the connection; a later question opens another."""
        self._connection.close()


def _is_mapped(window: Any) -> bool:
    try:
        return bool(window.get_attributes().map_state == X.IsViewable)
    except (BadWindow, BadDrawable):
        return False


def _sight(root: Any, window: Any, place: Mapping[str, int]) -> str:
    if not _is_mapped(window):
        return UNMAPPED
    box = _box(root, window)
    if box.right - box.left < place["width"] or box.bottom - box.top < place["height"]:
        return MOVED
    above = list(window.query_tree().children)
    level = window
    while level.id != root.id:
        parent = level.query_tree().parent
        siblings = parent.query_tree().children
        stacked = [sibling.id for sibling in siblings]  # the lowest first
        if level.id not in stacked:
            return UNMAPPED  # it was taken elsewhere while we looked
        above += siblings[stacked.index(level.id) + 1 :]
        if not _box(root, parent).holds(box):
            return MOVED
        level = parent
    return COVERED if any(_covers(root, other, box) for other in above) else SEEN


def _covers(root: Any, window: Any, box: Box) -> bool:
    try:
        attributes = window.get_attributes()
        shows = attributes.map_state == X.IsViewable and attributes.win_class != X.InputOnly
        return shows and _box(root, window).meets(box)
    except (BadWindow, BadDrawable):
        return False  # it has gone meanwhile


def _box(root: Any, window: Any) -> Box:
    shape, corner = window.get_geometry(), root.translate_coords(window, 0, 0)
    border = shape.border_width
    return Box(corner.x - border, corner.y - border, corner.x + shape.width + border, corner.y + shape.height + border)
