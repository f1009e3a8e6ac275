"""Walks the accessibility trees of all applications at once, level by level, with bounds on nodes and time.

Every level takes a few rounds of calls, each sent as a whole before its answers are awaited. What does not show is left
out with all that is below it, but for the applications and their windows: it is most of a tree (closed menus, hidden
tabs), and nobody can see it. Of big tables only the cells in view are visited.
"""

from __future__ import annotations

import struct
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from .accessibility_node import (
    ACCESSIBLE,
    ACTION,
    COMPONENT,
    MANAGES_DESCENDANTS,
    TABLE,
    TEXT,
    VALUE,
    Node,
    read_reference,
    read_references,
)
from .dbus import Call, Reader, marshal_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .accessibility_node import Box
    from .dbus import Connection

    Question = tuple[Call, Callable[[bytes], None]]

REGISTRY = "org.a11y.atspi.Registry"
ROOT = "/org/a11y/atspi/accessible/root"
NULL = "/org/a11y/atspi/null"

WINDOW_DEPTH = 2
BIG_TABLE = 300
"""Children from which on only the visible cells of a table are visited."""
TEXT_LIMIT = 20_000
"""Characters that are kept of one object's text."""

_ROUND = 10_000  # calls sent together; the bus allows 50,000 without an answer
_PROBE_STEP = 6  # pixels between two probes; rows and columns narrower than that may be missed
_PROBE_INSET = 4  # pixels from a table's edge to the first probe
_VALUES = {"value": "CurrentValue", "min": "MinimumValue", "max": "MaximumValue", "step": "MinimumIncrement"}


class Walk:
    """One walk over the whole desktop.

    Args:
        connection: to the accessibility bus.
        screen: what can be seen at all, None where that is not known.
        limit_nodes: so many nodes are visited at most.
        limit_seconds: so long it takes at most. An application that is silent for a third of that is left out.
    """

    def __init__(self, connection: Connection, screen: Box | None, limit_nodes: int, limit_seconds: float) -> None:
        self._connection = connection
        self._screen = screen
        self._limit_nodes = limit_nodes
        self._limit_seconds = limit_seconds
        self._deadline = time.monotonic() + limit_seconds
        self._seen: set[tuple[str, str]] = set()
        self._silent: set[str] = set()
        self._late = False
        self._cut = False
        self._cut_texts = False
        self.nodes = 0

    def run(self) -> list[Node]:
        """Return the applications that answer, with all below them that shows.

        Raises:
            BusError: the connection was lost.
        """
        desktop = Node(REGISTRY, ROOT, view=self._screen)
        level = self._children_of([desktop])
        while level:
            self._describe(level)
            level = self._children_of([node for node in level if node.role])
        return [application for application in desktop.children if application.owner not in self._silent]

    def problem(self) -> str:
        """Say what is missing in the tree; empty where nothing is."""
        clauses = [f"{self._name_of(owner)} did not answer and is left out" for owner in sorted(self._silent)]
        if self._late:
            clauses.append(f"cut after {self._limit_seconds:g} s")
        if self._cut:
            clauses.append(f"cut at {self._limit_nodes} nodes")
        if self._cut_texts:
            clauses.append(f"texts cut at {TEXT_LIMIT} characters")
        return "; ".join(clauses)

    def _ask(self, questions: Sequence[Question]) -> None:
        """Send all calls, and give each answer that comes to whom it concerns."""
        for start in range(0, len(questions), _ROUND):
            part = [
                question
                for question in questions[start : start + _ROUND]
                if question[0].destination not in self._silent
            ]
            replies = self._connection.exchange(
                [call for call, _ in part], deadline=self._deadline, patience=self._limit_seconds / 3
            )
            self._silent |= replies.silent
            self._late |= replies.late
            for (_, take), body in zip(part, replies.bodies, strict=True):
                if body is not None:
                    try:
                        take(body)
                    except (struct.error, IndexError):
                        continue  # an application that answers with other types than the interface has: as no answer

    # --- the rounds of a level --------------------

    def _describe(self, level: Sequence[Node]) -> None:
        """Ask nodes what they are, and take those that answer into the tree."""
        questions: list[Question] = []
        for node in level:
            questions += [
                (node.ask_property(ACCESSIBLE, "Name"), node.take_name),
                (node.ask(ACCESSIBLE, "GetRoleName"), node.take_role),
                (node.ask(ACCESSIBLE, "GetInterfaces"), node.take_interfaces),
                (node.ask(ACCESSIBLE, "GetAttributes"), node.take_attributes),
            ]
        self._ask(questions)
        described = [node for node in level if node.role]
        self._ask([question for node in described for question in _details(node)])
        for node in described:
            if len(node.text) > TEXT_LIMIT:
                node.text = node.text[:TEXT_LIMIT]
                self._cut_texts = True
            if node.parent:
                node.parent.children.append(node)

    def _children_of(self, level: Sequence[Node]) -> list[Node]:
        """Return what is below the nodes of a level and is to be visited, as far as the limit allows."""
        found: list[Node] = []
        self._ask(
            [
                (node.ask(ACCESSIBLE, "GetChildren"), partial(_collect, node, found))
                for node in level
                if (node.child_count or 0) <= BIG_TABLE
            ]
        )
        for node in level:
            if (node.child_count or 0) > BIG_TABLE:
                found += self._visible_cells(node)
        fresh = [node for node in found if node.path != NULL and (node.owner, node.path) not in self._seen]
        self._ask([(node.ask(ACCESSIBLE, "GetState"), node.take_states) for node in fresh])
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

    # --- big tables --------------------

    def _visible_cells(self, table: Node) -> list[Node]:
        """Find the cells in view by asking what lies at points: down a column, along a row, at all crossings."""
        if table.view is None:
            return []
        left, top, width, height = table.view
        ys = range(top + _PROBE_INSET, top + height, _PROBE_STEP)
        xs = range(left + _PROBE_INSET, left + width, _PROBE_STEP)
        column = self._cells_at(table, [(left + _PROBE_INSET, y) for y in ys])
        if not column:
            return []
        first_y = next(iter(column.values()))[1]
        row = self._cells_at(table, [(x, first_y) for x in xs])
        crossings = [(x, y) for _, y in column.values() for x, _ in row.values()]
        return [table.below(place) for place in self._cells_at(table, crossings)]

    def _cells_at(self, table: Node, points: Sequence[tuple[int, int]]) -> dict[tuple[str, str], tuple[int, int]]:
        """Return reference -> first of the points at which that cell lies, in the order of the points."""
        hits: dict[tuple[str, str], tuple[int, int]] = {}

        def take(point: tuple[int, int], body: bytes) -> None:
            place = read_reference(body)
            if place[1] not in (NULL, table.path):
                hits.setdefault(place, point)

        self._ask(
            [(table.ask(COMPONENT, "GetAccessibleAtPoint", "iiu", *point, 0), partial(take, point)) for point in points]
        )
        return hits

    # --- saying who was silent --------------------

    def _name_of(self, owner: str) -> str:
        """Return the name of an application's program and its process number, as far as the bus knows them."""
        if owner == REGISTRY:
            return "the accessibility registry"
        bus = "org.freedesktop.DBus"
        question = Call(bus, "/org/freedesktop/DBus", bus, "GetConnectionUnixProcessID", "s", marshal_texts(owner))
        body = self._connection.call(question, timeout=1)
        if body is None:
            return f"application {owner}"
        pid = Reader(body).uint32()
        try:
            program = Path(f"/proc/{pid}/comm").read_text().strip()
        except OSError:
            program = f"application {owner}"
        return f"{program} (process {pid})"


def _details(node: Node) -> Iterable[Question]:
    """Yield what is asked of a node whose role and interfaces are known."""
    if COMPONENT in node.interfaces and node.shows:
        yield node.ask(COMPONENT, "GetExtents", "u", 0), node.take_box
    if TEXT in node.interfaces:
        yield node.ask(TEXT, "GetText", "ii", 0, -1), node.take_text
    if ACTION in node.interfaces:
        yield node.ask(ACTION, "GetActions"), node.take_actions
    if VALUE in node.interfaces:
        for name, member in _VALUES.items():
            yield node.ask_property(VALUE, member), partial(node.take_value, name)
    if TABLE in node.interfaces or node.states & MANAGES_DESCENDANTS:
        yield node.ask_property(ACCESSIBLE, "ChildCount"), node.take_child_count


def _collect(parent: Node, found: list[Node], body: bytes) -> None:
    found += [parent.below(place) for place in read_references(body)]
