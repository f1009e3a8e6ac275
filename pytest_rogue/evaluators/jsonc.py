"""JSON with comments and trailing commas, as VS Code writes and reads it, and when two values of it are the same."""

from __future__ import annotations

import json
import re
from typing import Any

# What is not closed goes on to the end, so that no text of the desktop's can make the search slow.
_STRING = r'"(?:\\.|[^"\\])*(?:"|\\?\Z)'
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)


def parse_jsonc(text: str) -> Any:
    """Return what a text of JSON with comments says; an empty one says nothing, which is an empty object.

    Raises:
        ValueError: it is no such text.
        RecursionError: it is nested too deeply.
    """
    for ignored in (_COMMENT, _TRAILING_COMMA):
        text = ignored.sub(lambda match: match[1] or " ", text)
    return json.loads(text) if text.strip() else {}


def same_json(one: Any, other: Any) -> bool:
    """Return whether two values of JSON are equal; true and 1, which Python holds equal, are not."""
    return bool(_typed(one) == _typed(other))


def _typed(value: Any) -> Any:
    """Return `value` in a form in which true and 1 differ."""
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    return value
