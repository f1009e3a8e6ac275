"""Writes an accessibility tree as XML in the form that OSWorld's server gives it."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, TypeVar

from .accessibility_node import IMAGE, SELECTION, STATES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .accessibility_node import Node

T = TypeVar("T")

_BASE = "https://accessibility.ubuntu.example.org/ns/"
NAMESPACES = {
    "st": f"{_BASE}state",
    "attr": f"{_BASE}attributes",
    "cp": f"{_BASE}component",
    "doc": f"{_BASE}document",
    "docattr": f"{_BASE}document/attributes",
    "txt": f"{_BASE}text",
    "val": f"{_BASE}value",
    "act": f"{_BASE}action",
}

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2
_NO_NAME = re.compile(r"[^\w.-]|[^\x00-\x7f]")
_PLACEHOLDERS = str.maketrans("", "", "\ufffc\ufffd")  # embedded objects and undecodable bytes, as OSWorld drops them
_ROLES = {"statusbar": "status-bar"}  # the one role whose bus name differs from the name that OSWorld's library gives


def as_xml(applications: Iterable[Node]) -> str:
    """Return the tree of all applications; always well-formed, whatever they say of themselves."""
    declared = "".join(f' xmlns:{prefix}="{uri}"' for prefix, uri in NAMESPACES.items())
    out = [f"<desktop-frame{declared}>"]
    pending: list[Node | str] = [*applications]
    pending.reverse()
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        tag = _tag(item.role)
        out.append(f"<{tag}{''.join(_attributes(item))}>{_escaped(item.text.translate(_PLACEHOLDERS))}")
        pending.append(f"</{tag}>")
        pending.extend(reversed(item.children))
    out.append("</desktop-frame>")
    return "".join(out)


def _attributes(node: Node) -> Iterable[str]:
    yield _attribute("name", node.name)
    for bit, state in enumerate(STATES):
        if node.states >> bit & 1:
            yield _attribute(f"st:{state}", "true")
    for key, value in _by_xml_name(node.attributes.items()):
        yield _attribute(f"attr:{key}", value)
    if node.box:
        x, y, width, height = node.box
        yield _attribute("cp:screencoord", f"({x}, {y})")
        yield _attribute("cp:size", f"({width}, {height})")
    for interface, mark in ((IMAGE, "image"), (SELECTION, "selection")):
        if interface in node.interfaces:
            yield _attribute(mark, "true")
    for name, number in node.values.items():
        yield _attribute(f"val:{name}", str(number))
    # The bus tells the names of actions as a menu would show them, `Click` for `click`.
    for key, (description, keys) in _by_xml_name((name.lower(), facts) for name, *facts in node.actions):
        yield _attribute(f"act:{key}_desc", description)
        yield _attribute(f"act:{key}_kb", keys)


def _by_xml_name(named: Iterable[tuple[str, T]]) -> Iterable[tuple[str, T]]:
    """Make names valid in XML; of those that become the same, the first is kept, and empty ones are left out."""
    kept: dict[str, T] = {}
    for name, value in named:
        kept.setdefault(_xml_name(name), value)
    kept.pop("", None)
    return kept.items()


def _attribute(name: str, value: str) -> str:
    # A parser turns raw line breaks in attributes into blanks; a reference keeps them.
    escaped = _escaped(value).replace("\n", "&#10;").replace("\t", "&#9;").replace("\r", "&#13;")
    return f' {name}="{escaped}"'


def _escaped(text: str) -> str:
    return html.escape(_ILLEGAL.sub("", text))


def _tag(role: str) -> str:
    name = _xml_name(role.strip())
    return _ROLES.get(name, name) if name else "unknown"


def _xml_name(text: str) -> str:
    name = _NO_NAME.sub("_", text.replace(" ", "-"))
    return name if not name or name[0].isalpha() or name[0] == "_" else f"_{name}"
