"""What a solution is made of: clicks and keys as a person's, or code that works on files and programs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def is_clicks_and_keys(entries: Sequence[str]) -> bool:
    """Return True where all entries are calls of `pyautogui` with fixed arguments and nothing else; False for none."""
    return bool(entries) and all(map(_only_gestures, entries))


def _only_gestures(code: str) -> bool:
    try:
        statements = ast.parse(code).body
    except SyntaxError:
        return False
    return all(isinstance(statement, ast.Expr) and _is_gesture(statement.value) for statement in statements)


def _is_gesture(node: ast.expr) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    on_pyautogui = isinstance(node.func.value, ast.Name) and node.func.value.id == "pyautogui"
    return on_pyautogui and all(map(_is_fixed, [*node.args, *(keyword.value for keyword in node.keywords)]))


def _is_fixed(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True
