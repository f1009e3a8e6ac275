"""What an obstacle's window may report, one JSON object a line. Anything else is recorded, and believed by nobody.

| event | facts |
|---|---|
| `mapped` | on the screen and drawn for the first time: `id`, `pid`, `x`, `y`, `width`, `height` |
| `grabbed`, `not_grabbed` | pointer and keyboard are held, or could not be had so far (`reason`) |
| `dismiss_attempt` | somebody tried to be rid of it without answering (`by`); it stays |
| `covered`, `moved` | it could not be seen any more, and puts itself back |
| `dismissed` | it was closed without an answer, where its channel lets it be |
| `answer` | `answer`, `by` (`pointer`, `keyboard`, `accessibility`), and `x`, `y` or `key` |
| `closed` | it is gone from the screen |
"""

from __future__ import annotations

import json
from typing import Any

ANSWERS = ("accept", "override", "dismissed")
LINE_LIMIT = 1 << 16
"""Bytes of one line."""

_PLACE: dict[str, type] = dict.fromkeys(("id", "pid", "x", "y", "width", "height"), int)
_REQUIRED: dict[str, dict[str, type]] = {
    "mapped": _PLACE,
    "grabbed": {},
    "not_grabbed": {"reason": str},
    "dismiss_attempt": {"by": str},
    "covered": {},
    "moved": {},
    "dismissed": {},
    "answer": {"answer": str, "by": str},
    "closed": {},
}
_OPTIONAL: dict[str, dict[str, type]] = {"answer": {"x": int, "y": int, "key": str}}
_TEXT_LIMIT = 200
_LARGEST = (1 << 31) - 1


def read_event(line: bytes) -> dict[str, Any]:
    """Return the event of a line; a line that holds none becomes a `malformed_event` with the beginning of it."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        event = None
    if isinstance(event, dict) and _is_well_formed(event):
        return event
    return {"event": "malformed_event", "line": line[:_TEXT_LIMIT].decode("utf-8", "backslashreplace")}


def _is_well_formed(event: dict[str, Any]) -> bool:
    name = event["event"] if isinstance(event.get("event"), str) else ""
    if name not in _REQUIRED:
        return False
    facts = {key: value for key, value in event.items() if key != "event"}
    known = _REQUIRED[name] | _OPTIONAL.get(name, {})
    if not (_REQUIRED[name].keys() <= facts.keys() <= known.keys()):
        return False
    if name == "answer" and facts["answer"] not in ANSWERS:
        return False
    return all(_is_a(known[key], value) for key, value in facts.items()) and (name != "mapped" or facts["id"] > 0)


def _is_a(kind: type, value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, kind):
        return False
    return len(value) <= _TEXT_LIMIT if isinstance(value, str) else abs(value) <= _LARGEST  # type: ignore[arg-type]  # int
