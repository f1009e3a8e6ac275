"""The accessibility tree of the whole desktop, in the form that OSWorld's server gives it."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .accessibility_walk import Walk
from .accessibility_xml import as_xml
from .bus_lines import Lines
from .dbus import BusError, Call, Connection, Reader

if TYPE_CHECKING:
    from .accessibility_node import Box

CONNECT_LIMIT = 5.0
"""Seconds that a bus may take to accept a connection."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The tree as far as it could be read.

    Attributes:
        xml: well-formed XML with the root `desktop-frame`.
        nodes: number of nodes below the root that were visited.
        problem: what is missing and why, in clauses joined by semicolons; empty where nothing is.
    """

    xml: str
    nodes: int
    problem: str = ""


_lock = threading.Lock()
_lines: Lines | None = None
_screen: Box | None = None


def tree(limit_nodes: int, limit_seconds: float) -> Tree:
    """Read the accessibility trees of all applications.

    Args:
        limit_nodes: so many nodes are visited at most.
        limit_seconds: seconds it takes at most; a connection that has to be opened first is not counted.

    Returns:
        All that could be read within the limits; `problem` names what is missing. It never raises for a desktop that
        has no accessibility bus: the tree is empty then and `problem` says so.
    """
    with _lock:
        try:
            try:
                return _read(limit_nodes, limit_seconds)
            except BusError:
                _hang_up()  # the bus was started anew, or this is the first call: one more try with a fresh connection
                return _read(limit_nodes, limit_seconds)
        except BusError as error:
            _hang_up()
            return Tree(as_xml([]), 0, f"the accessibility tree cannot be read: {error}")


def _read(limit_nodes: int, limit_seconds: float) -> Tree:
    global _lines, _screen  # noqa: PLW0603  # the same lines for the whole program, guarded by the lock
    if _lines is None:
        _lines = Lines(_open())
        _screen = _whole_screen()
    walk = Walk(_lines, _screen, limit_nodes, limit_seconds)
    applications = walk.run()
    return Tree(as_xml(applications), walk.nodes, walk.problem())


def close() -> None:
    """Close the connections; the next `tree` opens another."""
    with _lock:
        _hang_up()


def _hang_up() -> None:
    global _lines  # noqa: PLW0603  # as above
    if _lines is not None:
        _lines.close()
        _lines = None


def _open() -> Connection:
    """Connect to the accessibility bus, whose address the session bus knows."""
    session = Connection(os.environ.get("DBUS_SESSION_BUS_ADDRESS", ""), timeout=CONNECT_LIMIT)
    try:
        body = session.call(Call("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress"), timeout=CONNECT_LIMIT)
    finally:
        session.close()
    if body is None:
        raise BusError("the session bus knows no accessibility bus; is at-spi2-core installed?")
    return Connection(Reader(body).text(), timeout=CONNECT_LIMIT)


def _whole_screen() -> Box | None:
    """Return the screen's place and size, None where the X server does not tell."""
    from Xlib.display import Display
    from Xlib.error import DisplayError

    try:
        display = Display()
    except (DisplayError, OSError):
        return None
    screen = display.screen()
    display.close()
    return (0, 0, screen.width_in_pixels, screen.height_in_pixels)
