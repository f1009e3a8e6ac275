"""JSON with comments and trailing commas, as VS Code writes and reads its settings."""

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
