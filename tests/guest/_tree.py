"""Finding things in the accessibility tree of a session."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from pytest_rogue.guest import accessibility
from tests.guest._session import wait_for

CP = "{https://accessibility.ubuntu.example.org/ns/component}"


def tree() -> ET.Element:
    """Return the whole tree of the desktop."""
    return ET.fromstring(accessibility.tree(5000, 10).xml)  # our own


def node(role: str, name: str) -> ET.Element:
    """Wait for a node with a place on the screen; accessibility learns of a window a little after the screen."""

    def find() -> list[ET.Element]:
        return [item for item in tree().iter(role) if item.get("name") == name and item.get(f"{CP}size")]

    return wait_for(f"{role} {name!r} in the accessibility tree", find)[0]


def box(item: ET.Element) -> tuple[int, ...]:
    """Return x, y, width, height."""
    return tuple(int(part) for key in ("screencoord", "size") for part in item.attrib[CP + key].strip("()").split(","))


def centre(item: ET.Element) -> tuple[int, int]:
    """Return the point to click at."""
    x, y, width, height = box(item)
    return x + width // 2, y + height // 2
