"""The getter of what stands on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pytest_rogue.published.protocol import Desk, Getter

if TYPE_CHECKING:
    from pytest_rogue.desktops.guest_types import SeenTree


class AccessibilityTree(Getter):
    """The accessibility tree, once the screen is at rest; what could be read of it, and what is missing."""

    type: ClassVar[str] = "accessibility_tree"

    def get(self, desk: Desk) -> SeenTree:
        """Return it."""
        return desk.guest.read_tree()
