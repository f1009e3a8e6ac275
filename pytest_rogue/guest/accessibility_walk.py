"""Walks the accessibility trees of all applications at once, each level by level, with bounds on nodes and time.

Every level takes a few rounds of calls, each sent as a whole before its answers are awaited. What does not show is left
out with all that is below it, but for the applications and their windows: it is most of a tree (closed menus, hidden
tabs), and nobody can see it. Of big tables only the cells in view are visited.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from . import bus_talks
from .accessibility_node import (
    ACCESSIBLE,
    ACTION,
    APPLICATION,
    COMPONENT,
    MANAGES_DESCENDANTS,
    NULL,
    TABLE,
    TEXT,
    VALUE,
    Node,
    read_references,
)
from .accessibility_table import visible_cells
from .dbus import Call, Reader, marshal_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .accessibility_node import Box
    from .bus_lines import Lines
    from .bus_talks import Question, Rounds

REGISTRY = "org.a11y.atspi.Registry"
ROOT = "/org/a11y/atspi/accessible/root"

WINDOW_DEPTH = 2
BIG_TABLE = 300
"""Children from which on only the visible cells of a table are visited."""
TEXT_LIMIT = 20_000
"""Characters that are kept of one object's text."""

_VALUES = {"value": "CurrentValue", "min": "MinimumValue", "max": "MaximumValue", "step": "MinimumIncrement"}


class Walk:
    """One walk over the whole desktop.

    Args:
        lines: to the accessibility bus, and to the applications on it as far as these offer one.
        screen: what can be seen at all, None where that is not known.
        limit_nodes: so many nodes are visited at most.
        limit_seconds: so long it takes at most. An application that is silent for a third of that is left out.
    """

    def __init__(self, lines: Lines, screen: Box | None, limit_nodes: int, limit_seconds: float) -> None:
        self._lines = lines
        self._screen = screen
        self._limit_nodes = limit_nodes
        self._limit_seconds = limit_seconds
        self._deadline = time.monotonic() + limit_seconds
        self._seen: set[tuple[str, str]] = set()
        self._silent: set[str] = set()
        self._late: set[str] = set()
        self._cut = False
        self._cut_texts = False
        self.nodes = 0

    def run(self) -> list[Node]:
        """Return the applications that answer, with all below them that shows.

        Raises:
            BusError: the connection was lost.
        """
        applications: list[Node] = []
        self._hold({REGISTRY: self._list(applications)})
        by_owner: dict[str, list[Node]] = {}
        for application in applications:
            by_owner.setdefault(application.owner, []).append(application)
        self._hold({owner: self._open_line(by_owner[owner][0]) for owner in self._lines.unknown(by_owner)})
        self._hold({owner: self._take_in(by_owner[owner]) for owner in by_owner if owner not in self._silent})
        return [node for node in applications if node.role and node.owner not in self._silent]

    def problem(self) -> str:
        """Say what is missing in the tree; empty where nothing is."""
        clauses = [f"{self._name_of(owner)} did not answer and is left out" for owner in sorted(self._silent)]
        clauses += [f"{self._name_of(owner)} was cut after {self._limit_seconds:g} s" for owner in sorted(self._late)]
        if self._cut:
            clauses.append(f"cut at {self._limit_nodes} nodes")
        if self._cut_texts:
            clauses.append(f"texts cut at {TEXT_LIMIT} characters")
        return "; ".join(clauses)

    def _hold(self, talks: dict[str, Rounds[None]]) -> None:
        patience = self._limit_seconds / 3
        unfinished = bus_talks.hold(self._lines, talks, deadline=self._deadline, patience=patience)
        self._silent |= unfinished.silent
        self._late |= unfinished.late

    # --- what is asked, in rounds --------------------

    def _list(self, applications: list[Node]) -> Rounds[None]:
        desktop = Node(REGISTRY, ROOT, view=self._screen)
        yield [(desktop.ask(ACCESSIBLE, "GetChildren"), partial(_collect, desktop, applications))]

    def _open_line(self, application: Node) -> Rounds[None]:
        addresses: list[str] = []
        address_of = application.ask(APPLICATION, "GetApplicationBusAddress")
        yield [(address_of, lambda body: addresses.append(Reader(body).text()))]
        self._lines.open(application.owner, "".join(addresses))

    def _take_in(self, roots: Sequence[Node]) -> Rounds[None]:
        """Take an application into the tree, with all below it that is to be visited."""
        level = yield from self._to_be_visited(roots)
        while level:
            described = yield from self._describe(level)
            found = yield from _children_of(described)
            level = yield from self._to_be_visited(found)

    def _to_be_visited(self, nodes: Sequence[Node]) -> Rounds[list[Node]]:
        """Return those that show and were not met before, as far as the limit allows."""
        fresh = [node for node in nodes if node.path != NULL and (node.owner, node.path) not in self._seen]
        yield [(node.ask(ACCESSIBLE, "GetState"), node.take_states) for node in fresh]
        return self._admit(node for node in fresh if node.shows or node.depth <= WINDOW_DEPTH)

    def _admit(self, nodes: Iterable[Node]) -> list[Node]:
        admitted = []
        for node in nodes:
            if (node.owner, node.path) in self._seen:
                continue  # some applications list an object under two parents
            if self.nodes >= self._limit_nodes:
                self._cut = True
                break
            self._seen.add((node.owner, node.path))
            self.nodes += 1
            admitted.append(node)
        return admitted

    def _describe(self, level: Sequence[Node]) -> Rounds[list[Node]]:
        """Ask nodes what they are, and return those that answer, which are in the tree then."""
        cells = [node for node in level if _is_big_table(node.parent)]
        _find_alike(cells)
        yield [question for node in level for question in _identity(node)]
        for cell in cells:
            if cell.alike:
                cell.role, cell.interfaces = cell.alike.role, cell.alike.interfaces
        described = [node for node in level if node.role]
        for node in described:
            if node.parent:
                node.parent.children.append(node)
        yield [question for node in described for question in _details(node)]
        for cell in cells:
            if cell.alike:
                cell.child_count = cell.alike.child_count
        filled = [cell for cell in cells if cell.role and (cell.text or TEXT not in cell.interfaces)]
        yield [question for cell in filled for question in _particulars(cell)]
        for node in described:
            if len(node.text) > TEXT_LIMIT:
                node.text = node.text[:TEXT_LIMIT]
                self._cut_texts = True
        return described

    # --- saying who was silent --------------------

    def _name_of(self, owner: str) -> str:
        """Return the name of an application's program and its process number, as far as the bus knows them."""
        if owner == REGISTRY:
            return "the accessibility registry"
        bus = "org.freedesktop.DBus"
        question = Call(bus, "/org/freedesktop/DBus", bus, "GetConnectionUnixProcessID", "s", marshal_texts(owner))
        body = self._lines.bus.call(question, timeout=1)
        if body is None:
            return f"application {owner}"
        pid = Reader(body).uint32()
        try:
            program = Path(f"/proc/{pid}/comm").read_text().strip()
        except OSError:
            program = f"application {owner}"
        return f"{program} (process {pid})"


def _children_of(level: Sequence[Node]) -> Rounds[list[Node]]:
    found: list[Node] = []
    yield [
        (node.ask(ACCESSIBLE, "GetChildren"), partial(_collect, node, found))
        for node in level
        if node.child_count != 0 and not _is_big_table(node)
    ]
    for node in level:
        if _is_big_table(node):
            found += yield from visible_cells(node)
    return found


def _collect(parent: Node, found: list[Node], body: bytes) -> None:
    found += [parent.below(place) for place in read_references(body)]


def _is_big_table(node: Node | None) -> bool:
    return (
        node is not None
        and (node.child_count or 0) > BIG_TABLE
        and (TABLE in node.interfaces or bool(node.states & MANAGES_DESCENDANTS))
    )


def _find_alike(cells: Iterable[Node]) -> None:
    """Let one cell of each column stand for the kind of all: that saves a third of what a spreadsheet is asked."""
    first: dict[tuple[Node | None, int], Node] = {}
    for cell in cells:
        if cell.box:
            model = first.setdefault((cell.parent, cell.box[0]), cell)
            cell.alike = None if model is cell else model


def _identity(node: Node) -> Iterable[Question]:
    yield node.ask_property(ACCESSIBLE, "Name"), node.take_name
    if node.alike is None:
        yield node.ask(ACCESSIBLE, "GetRoleName"), node.take_role
        yield node.ask(ACCESSIBLE, "GetInterfaces"), node.take_interfaces


def _details(node: Node) -> Iterable[Question]:
    """Yield what is asked of a node whose role and interfaces are known."""
    if node.alike is None:
        yield node.ask_property(ACCESSIBLE, "ChildCount"), node.take_child_count
    if COMPONENT in node.interfaces and node.shows and node.box is None:
        yield node.ask(COMPONENT, "GetExtents", "u", 0), node.take_box
    if TEXT in node.interfaces:
        yield node.ask(TEXT, "GetText", "ii", 0, -1), node.take_text
    if ACTION in node.interfaces:
        yield node.ask(ACTION, "GetActions"), node.take_actions
    if not _is_big_table(node.parent):
        yield from _particulars(node)


def _particulars(node: Node) -> Iterable[Question]:
    """Yield what is not asked of an empty cell: a spreadsheet needs as long for it as for all else together."""
    yield node.ask(ACCESSIBLE, "GetAttributes"), node.take_attributes
    if VALUE in node.interfaces:
        for name, member in _VALUES.items():
            yield node.ask_property(VALUE, member), partial(node.take_value, name)
