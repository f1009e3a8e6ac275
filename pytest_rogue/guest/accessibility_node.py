"""What is known of one accessible object, and how to read what the accessibility bus answers about it."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from .dbus import Call, Reader, marshal_texts

ACCESSIBLE = "org.a11y.atspi.Accessible"
ACTION = "org.a11y.atspi.Action"
APPLICATION = "org.a11y.atspi.Application"
COMPONENT = "org.a11y.atspi.Component"
IMAGE = "org.a11y.atspi.Image"
SELECTION = "org.a11y.atspi.Selection"
TABLE = "org.a11y.atspi.Table"
TEXT = "org.a11y.atspi.Text"
VALUE = "org.a11y.atspi.Value"
PROPERTIES = "org.freedesktop.DBus.Properties"

NULL = "/org/a11y/atspi/null"
"""The path by which an application says that there is no such object."""

STATES = (
    "invalid",
    "active",
    "armed",
    "busy",
    "checked",
    "collapsed",
    "defunct",
    "editable",
    "enabled",
    "expandable",
    "expanded",
    "focusable",
    "focused",
    "has_tooltip",
    "horizontal",
    "iconified",
    "modal",
    "multi_line",
    "multiselectable",
    "opaque",
    "pressed",
    "resizable",
    "selectable",
    "selected",
    "sensitive",
    "showing",
    "single_line",
    "stale",
    "transient",
    "vertical",
    "visible",
    "manages_descendants",
    "indeterminate",
    "required",
    "truncated",
    "animated",
    "invalid_entry",
    "supports_autocompletion",
    "selectable_text",
    "is_default",
    "visited",
    "checkable",
    "has_popup",
    "read_only",
)
"""Names of the states by bit: AT-SPI's StateType, as OSWorld spells it."""

SHOWING = 1 << STATES.index("showing")
VISIBLE = 1 << STATES.index("visible")
MANAGES_DESCENDANTS = 1 << STATES.index("manages_descendants")

Box = tuple[int, int, int, int]
"""x, y, width, height on the screen."""


@dataclass(slots=True, eq=False)
class Node:
    """One accessible object; filled while the tree is walked.

    Attributes:
        owner: bus name of its application.
        path: its object path.
        parent: the object it belongs to, None for the desktop.
        depth: 0 for the desktop, 1 for an application, 2 for its windows.
        role: empty until the application has told it.
        box: None where it has no place on the screen or does not show.
        view: what of the screen it can be seen in: what its parents leave it, and then of that its own box.
        child_count: None where it is not known.
        alike: a cell of the same column of a big table, whose kind this one has; None where it is asked itself.
        actions: name, description and key binding of each.
        values: `value`, `min`, `max`, `step` as far as known.
    """

    owner: str
    path: str
    parent: Node | None = None
    depth: int = 0
    name: str = ""
    role: str = ""
    states: int = 0
    interfaces: tuple[str, ...] = ()
    attributes: dict[str, str] = field(default_factory=dict)
    box: Box | None = None
    view: Box | None = None
    child_count: int | None = None
    alike: Node | None = None
    text: str = ""
    actions: tuple[tuple[str, ...], ...] = ()
    values: dict[str, float] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)

    @property
    def shows(self) -> bool:
        """True where it can be seen."""
        return bool(self.states & SHOWING and self.states & VISIBLE)

    def below(self, reference: tuple[str, str]) -> Node:
        """Return a node for an object that belongs to this one; it is not among the children yet."""
        return Node(*reference, parent=self, depth=self.depth + 1, view=self.view)

    def ask(self, interface: str, member: str, signature: str = "", *numbers: int) -> Call:
        """Return a call to it; its arguments are 32-bit integers."""
        return Call(self.owner, self.path, interface, member, signature, struct.pack(f"<{len(numbers)}i", *numbers))

    def ask_property(self, interface: str, name: str) -> Call:
        """Return a call that reads one of its properties."""
        return Call(self.owner, self.path, PROPERTIES, "Get", "ss", marshal_texts(interface, name))

    # --- answers, marshalled as the bus brings them --------------------

    def take_name(self, body: bytes) -> None:
        """Read the property `Name`."""
        self.name = str(Reader(body).variant() or "")

    def take_role(self, body: bytes) -> None:
        """Read the answer to `GetRoleName`."""
        self.role = Reader(body).text().strip() or "unknown"

    def take_states(self, body: bytes) -> None:
        """Read the answer to `GetState`: an array of two words of bits."""
        _, low, high = struct.unpack_from("<3I", body)
        self.states = low | high << 32

    def take_interfaces(self, body: bytes) -> None:
        """Read the answer to `GetInterfaces`."""
        self.interfaces = tuple(texts[0] for texts in _read_rows(body, alignment=4, columns=1))

    def take_attributes(self, body: bytes) -> None:
        """Read the answer to `GetAttributes`."""
        self.attributes = {texts[0]: texts[1] for texts in _read_rows(body, alignment=8, columns=2)}

    def take_box(self, body: bytes) -> None:
        """Read the answer to `GetExtents`, and work out what of it can be seen."""
        x, y, width, height = struct.unpack_from("<4i", body)
        self.box = (x, y, width, height)
        self.view = _common_part(self.box, self.view)

    def take_text(self, body: bytes) -> None:
        """Read the answer to `GetText`."""
        self.text = Reader(body).text()

    def take_actions(self, body: bytes) -> None:
        """Read the answer to `GetActions`."""
        self.actions = tuple(_read_rows(body, alignment=8, columns=3))

    def take_child_count(self, body: bytes) -> None:
        """Read the property `ChildCount`."""
        count = Reader(body).variant()
        self.child_count = count if isinstance(count, int) else None

    def take_value(self, name: str, body: bytes) -> None:
        """Read one property of the interface `Value`."""
        number = Reader(body).variant()
        if isinstance(number, float):
            self.values[name] = number


def _common_part(inner: Box, outer: Box | None) -> Box:
    if outer is None:
        return inner
    left, top = max(inner[0], outer[0]), max(inner[1], outer[1])
    right = min(inner[0] + inner[2], outer[0] + outer[2])
    bottom = min(inner[1] + inner[3], outer[1] + outer[3])
    return left, top, max(0, right - left), max(0, bottom - top)


def read_reference(body: bytes) -> tuple[str, str]:
    """Read one object reference: bus name and path."""
    reader = Reader(body)
    return reader.text(), reader.text()


def read_references(body: bytes) -> list[tuple[str, str]]:
    """Read the answer to `GetChildren`."""
    return [(owner, path) for owner, path in _read_rows(body, alignment=8, columns=2)]


def _read_rows(body: bytes, *, alignment: int, columns: int) -> list[tuple[str, ...]]:
    """Read an array of strings (alignment 4) or of structures of strings (alignment 8)."""
    reader = Reader(body)
    end = reader.array_end(alignment)
    rows = []
    while reader.before(end):
        reader.align(alignment)
        rows.append(tuple(reader.text() for _ in range(columns)))
    return rows
