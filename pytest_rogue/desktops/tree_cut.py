"""Cuts an accessibility tree that is too long to be shown, so that what is left is well-formed."""

from __future__ import annotations

import contextlib
from xml.parsers import expat

from pytest_rogue.desktops.observed import A11Y_LIMIT


class _EnoughError(Exception):
    """The rest need not be read."""


def cut_tree(xml: str, nodes: int) -> tuple[str, str]:
    """Return the first `nodes` nodes of a tree, and a few words where it was cut.

    What is not XML is returned as it is; `observed.tree_problem` tells.
    """
    data = xml.encode("utf-8", "replace")
    parser = expat.ParserCreate("utf-8")
    open_nodes: list[str] = []
    seen, cut_at = 0, None

    def begin(name: str, _: object) -> None:
        nonlocal seen, cut_at
        if seen == nodes or parser.CurrentByteIndex > A11Y_LIMIT // 2:
            cut_at = parser.CurrentByteIndex
            raise _EnoughError
        seen += 1
        open_nodes.append(name)

    def refuse(*_: object) -> None:
        raise _EnoughError

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda _: open_nodes.pop()
    parser.StartDoctypeDeclHandler = refuse
    with contextlib.suppress(_EnoughError, expat.ExpatError):
        parser.Parse(data, True)
    if cut_at is None:
        return xml, ""
    ends = "".join(f"</{name}>" for name in reversed(open_nodes))
    return data[:cut_at].decode() + ends, f"it was cut after {seen:,} nodes"
