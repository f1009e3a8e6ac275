"""The accessibility tree: OSWorld's XML in, the nodes that can be seen out, and those as compact lines for a prompt.

The XML comes from the desktop, where the agent may have put anything: it is read as a stream, a document type (the way
to entity expansion) is refused, and what comes of it is bounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias
from xml.etree.ElementTree import ParseError, XMLParser

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LONGEST_TEXT = 2_000
"""Characters of one node's text that are shown."""

HEADER = "role\tname\ttext\tstates\tcentre\tsize"

Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, width, height in pixels of the screen."""

_PAIR = re.compile(r"\(\s*(-?\d{1,10})\s*,\s*(-?\d{1,10})\s*\)")
_RUNS = re.compile(r"[A-Za-z]+|[^A-Za-z ]+")
_SHOWN_STATES = ("focused", "selected", "checked", "pressed", "expanded", "modal")
_IN_ONE_COLUMN = str.maketrans({"\n": "\\n", "\t": "\\t", "\r": "", "\ufffc": ""})


class TreeUnreadableError(ValueError):
    """The text is not an accessibility tree."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node that can be seen on the screen.

    Attributes:
        role: AT-SPI role with dashes, `push-button` for instance.
        name: accessible name.
        text: text content, empty where it says the same as the name.
        box: where it is.
        states: names of the states that are set.
        parent: position of the nearest visible node around it, in the list that `visible_nodes` returns, or None.
    """

    role: str
    name: str
    text: str
    box: Box
    states: frozenset[str]
    parent: int | None

    @property
    def centre(self) -> tuple[int, int]:
        """Where to click it."""
        left, top, width, height = self.box
        return left + width // 2, top + height // 2


def visible_nodes(xml: str, screen_size: tuple[int, int]) -> list[Node]:
    """Return the nodes that are showing and whose centre lies on the screen, in document order.

    Raises:
        TreeUnreadableError: the XML is broken or holds a document type.
    """
    collector = _Collector(screen_size)
    parser = XMLParser(target=collector)  # noqa: S314  document types are refused, so that there are no entities
    try:
        parser.feed(xml)
        parser.close()
    except (ParseError, ValueError) as error:
        raise TreeUnreadableError(f"the accessibility tree cannot be read: {error}") from error
    return collector.nodes()


def linearise(
    nodes: Sequence[Node],
    *,
    max_tokens: int = 10_000,
    place: Callable[[float, float], tuple[float, float]] | None = None,
    numbers: Mapping[int, int] | None = None,
) -> str:
    """Return tab separated lines, one for each node that has a name or a text or that can take the focus.

    What stands in a modal window comes first: a cut must not take away what everything else waits for.

    Args:
        nodes: what can be seen.
        max_tokens: how long the result may be, but for a last line that says how many nodes were cut.
        place: from pixels of the screen to the coordinates that are shown; None for pixels.
        numbers: by `id` of a node the number of its mark, for a first column of them; None for no such column.
    """
    lines = [HEADER if numbers is None else f"number\t{HEADER}"]
    length = tokens(HEADER)
    telling = [node for node in modal_first(nodes) if node.name or node.text or "focusable" in node.states]
    for shown, node in enumerate(telling):
        line = _line(node, place or (lambda x, y: (x, y)))
        if numbers is not None:
            line = f"{numbers.get(id(node), '')}\t{line}"
        length += tokens(line)
        if length > max_tokens:
            return "\n".join([*lines, f"[cut: {len(telling) - shown} more nodes]"])
        lines.append(line)
    return "\n".join(lines)


def tokens(text: str) -> int:
    """Return about how many tokens a text has: a run of letters is one for every four, all else one a character or two.

    Every provider counts in its own way. For lists of elements this is a little more than the common ones count.
    """
    return sum((len(run) + 3) // 4 if run[0].isalpha() else (len(run) + 1) // 2 for run in _RUNS.findall(text)) + 1


def modal_first(nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes with those that stand in a modal window first."""
    in_modal: list[bool] = []
    for node in nodes:  # a parent stands before its children
        in_modal.append("modal" in node.states or (node.parent is not None and in_modal[node.parent]))
    return [nodes[place] for place in sorted(range(len(nodes)), key=lambda place: not in_modal[place])]


def _line(node: Node, place: Callable[[float, float], tuple[float, float]]) -> str:
    text = node.text
    if len(text) > LONGEST_TEXT:
        text = f"{text[:LONGEST_TEXT]}[cut: {len(text) - LONGEST_TEXT} more characters]"
    states = [state for state in _SHOWN_STATES if state in node.states]
    if not node.states & {"enabled", "sensitive"}:
        states.append("disabled")
    width, height = place(*node.box[2:])
    x, y = place(*node.centre)
    columns = (node.role, node.name, text, ",".join(states), f"({x}, {y})", f"({width}, {height})")
    return "\t".join(column.translate(_IN_ONE_COLUMN) for column in columns)


@dataclass(slots=True)
class _Open:
    """An element whose end has not come.

    `index` is its position among the visible nodes, None where it cannot be seen; `around` that of the nearest visible
    element around it.
    """

    role: str
    name: str
    box: Box
    states: frozenset[str]
    index: int | None
    around: int | None
    text: list[str] = field(default_factory=list)


class _Collector:
    """Target of the XML parser (`xml.etree.ElementTree.XMLParser`)."""

    def __init__(self, screen_size: tuple[int, int]) -> None:
        self._screen = screen_size
        self._open: list[_Open] = []
        self._nodes: list[Node | None] = []

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise ValueError(f"document type {name!r} ({pubid or system or 'internal'}) is not allowed")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        states, box = _states_and_box(attributes)
        outer = self._open[-1] if self._open else None
        around = None if outer is None else outer.around if outer.index is None else outer.index
        index = None
        if {"showing", "visible"} <= states and self._on_screen(box):
            index = len(self._nodes)
            self._nodes.append(None)
        name = attributes.get("name", "").strip()
        self._open.append(_Open(tag.rpartition("}")[2], name, box, states, index, around))

    def data(self, text: str) -> None:
        if self._open:
            self._open[-1].text.append(text)

    def end(self, _tag: str) -> None:
        element = self._open.pop()
        if element.index is None:
            return
        text = "".join(element.text).strip()
        self._nodes[element.index] = Node(
            role=element.role,
            name=element.name,
            text="" if text == element.name else text,
            box=element.box,
            states=element.states,
            parent=element.around,
        )

    def close(self) -> None:
        """The parser asks for it; `nodes` has what was collected."""

    def nodes(self) -> list[Node]:
        return [node for node in self._nodes if node is not None]

    def _on_screen(self, box: Box) -> bool:
        left, top, width, height = box
        x, y = left + width // 2, top + height // 2
        return width > 0 and height > 0 and 0 <= x < self._screen[0] and 0 <= y < self._screen[1]


def _states_and_box(attributes: Mapping[str, str]) -> tuple[frozenset[str], Box]:
    """Read the names of the states that are set, and the box; one that is not given has no extent."""
    states = []
    corner = size = None
    for qualified, value in attributes.items():
        namespace, _, key = qualified.rpartition("}")
        if namespace.endswith("/state"):
            if value == "true":
                states.append(key)
        elif namespace.endswith("/component"):
            if key == "screencoord":
                corner = _pair(value)
            elif key == "size":
                size = _pair(value)
    return frozenset(states), (*corner, *size) if corner and size else (0, 0, 0, 0)


def _pair(value: str) -> tuple[int, int] | None:
    found = _PAIR.fullmatch(value.strip())
    return (int(found[1]), int(found[2])) if found else None
