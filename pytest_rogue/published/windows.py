"""The windows that published tasks speak of by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.desktops.guest_types import Window

_STAND_INS = {"Google Chrome": ("Chromium",)}
"""What the window of a program says that another stands in for, on machines that have only that one."""


@dataclass(frozen=True, slots=True)
class WindowName:
    """How a task file names a window.

    Attributes:
        name: part of its title, in any case of the letters.
        strict: True where it is the whole, letter for letter.
        by_class: True where it is the window's class instead of its title.
    """

    name: str
    strict: bool = False
    by_class: bool = False

    def __str__(self) -> str:
        return f"{'of the class' if self.by_class else 'titled'} {self.name!r}"

    def fits(self, window: Window) -> bool:
        """Tell whether a window has that name."""
        if not self.by_class:
            names = (self.name, *_STAND_INS.get(self.name, ()))
            return any(_same(name, window.title, strict=self.strict) for name in names)
        # A class is listed with dots (`org.gnome.Nautilus`), or as what is behind the last of them.
        return _same(self.name.rpartition(".")[2], window.window_class.rpartition(".")[2], strict=self.strict)

    def among(self, guest: GuestClient) -> tuple[Window, ...]:
        """Return the windows of that name that are there now."""
        return tuple(window for window in guest.windows() if self.fits(window))


def _same(name: str, found: str, *, strict: bool) -> bool:
    return name == found if strict else name.lower() in found.lower()


def window_titles(guest: GuestClient) -> str:
    """Return what windows there are, for a message."""
    return ", ".join(repr(window.title) for window in guest.windows()) or "none"
