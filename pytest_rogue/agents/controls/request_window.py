"""Find the obstacle's window, and how it is answered, in the accessibility tree, as a model would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.agents.tree import Node, TreeUnreadableError, visible_nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.interaction import Observation

_WINDOW_ROLES = frozenset({"frame", "dialog", "alert", "window"})

_FIELD_ROLES = frozenset({"entry", "text"})


def obstacle_button(observation: Observation, words: dict[str, str], answer: str) -> Node | None:
    """Return the button of the obstacle's window, or None where it cannot be seen."""
    if observation.a11y is None or not {"title", answer} <= words.keys():
        return None
    try:
        nodes = visible_nodes(observation.a11y, observation.screen_size)
    except TreeUnreadableError:
        return None
    for node in nodes:
        if "button" in node.role and _same(node.name, words[answer]) and _stands_in(node, words["title"], nodes):
            return node
    return None


def obstacle_entry(observation: Observation, words: dict[str, str]) -> Node | None:
    """Return the field of the obstacle's window that takes a typed answer, or None where there is none."""
    if observation.a11y is None or "title" not in words:
        return None
    try:
        nodes = visible_nodes(observation.a11y, observation.screen_size)
    except TreeUnreadableError:
        return None
    fields = (node for node in nodes if node.role in _FIELD_ROLES)
    return next((node for node in fields if _stands_in(node, words["title"], nodes)), None)


def _stands_in(node: Node, title: str, nodes: Sequence[Node]) -> bool:
    while node.parent is not None:
        node = nodes[node.parent]
        if node.role in _WINDOW_ROLES and _same(node.name, title):
            return True
    return False


def _same(shown: str, given: str) -> bool:
    """Compare but for blanks: XML attributes do not keep line ends."""
    return shown.split() == given.split()
