"""What a solution is made of: what a person does at a screen, or code that works on files and programs."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_EYES_AND_HANDS = frozenset({"pyautogui", "time"})
_HARMLESS = frozenset({"abs", "all", "any", "enumerate", "len", "max", "min", "range", "zip"})


def is_clicks_and_keys(entries: Sequence[str]) -> bool:
    """Return True where all entries only look at the screen, click, type and wait; False for no entries.

    Such code imports nothing and calls `pyautogui` and `time` alone, so that no file and no program is in its reach.
    """
    return bool(entries) and all(map(_stays_at_the_screen, entries))


def _stays_at_the_screen(code: str) -> bool:
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except SyntaxError:
        return False
    if any(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes):
        return False
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return "pyautogui" in names and not (names & set(dir(builtins))) - _HARMLESS - _EYES_AND_HANDS
