"""The getter of what stands on the screen."""

from __future__ import annotations

from typing import ClassVar

from pytest_rogue.published.protocol import Desk, Getter


class AccessibilityTree(Getter):
    """The accessibility tree, once the screen is at rest, as XML."""

    type: ClassVar[str] = "accessibility_tree"

    def get(self, desk: Desk) -> str:
        """Return it."""
        return desk.guest.accessibility_tree()
