"""Where two requests part: the first field that differs, with what stood there and what stands there now."""

from __future__ import annotations

import json
from typing import Any

_AROUND = 60
"""Characters shown of a long text from a little before the place where it differs."""


def first_difference(recorded: Any, now: Any, where: str = "") -> str | None:
    """Return a sentence about the first field in which two JSON values differ, None where they are equal.

    Args:
        recorded: what was.
        now: what is.
        where: the field that both stand in.
    """
    if isinstance(recorded, dict) and isinstance(now, dict):
        names = [*recorded, *(name for name in now if name not in recorded)]
        pairs = [(f"{where}.{name}".lstrip("."), recorded.get(name), now.get(name)) for name in names]
    elif isinstance(recorded, list) and isinstance(now, list):
        longest = max(len(recorded), len(now))
        pairs = [(f"{where}[{place}]", _at(recorded, place), _at(now, place)) for place in range(longest)]
    else:
        return (
            None
            if recorded == now
            else f"{where or 'it'}: recorded {_shown(recorded, now)}, now {_shown(now, recorded)}"
        )
    return next((found for place, one, other in pairs if (found := first_difference(one, other, place))), None)


def _at(values: list[Any], place: int) -> Any:
    return values[place] if place < len(values) else None


def _shown(value: Any, other: Any) -> str:
    """Return a value for people: of a long text the part where it differs from the other one."""
    if not isinstance(value, str):
        text = json.dumps(value)
        return text if len(text) <= 2 * _AROUND else f"{text[: 2 * _AROUND]}..."
    same = 0
    if isinstance(other, str):
        same = next((place for place, pair in enumerate(zip(value, other, strict=False)) if pair[0] != pair[1]), 0)
        same = same or min(len(value), len(other)) * (value[: len(other)] == other[: len(value)])
    start = max(0, same - _AROUND // 3) if len(value) > _AROUND else 0
    end = start + _AROUND
    return json.dumps(("..." if start else "") + value[start:end] + ("..." if end < len(value) else ""))
