"""JSON that every reader can read: no NaN, no lone surrogates, no secrets."""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from typing import Any

from pytest_rogue.secrets import scrub, scrub_data


def plain(value: Any) -> Any:
    r"""Return `value` as JSON has it.

    NaN and infinities become None (a value that is missing, never 0), tuples and sets become lists, keys become
    strings, dataclasses become objects, lone surrogates become visible escapes (`\udc80`), and anything unknown becomes
    its `str`.
    """
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, set | frozenset):
        value = sorted(value, key=repr)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, dict):
        return {_text(key): plain(item) for key, item in value.items()}
    return _text(value)


def _text(value: Any) -> str:
    text = str(value)
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def dumps(value: Any, *, indent: int | None = None) -> str:
    """Return `value` as strict JSON with all known secrets replaced."""
    data = plain(value)
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=indent)
    # Replacing in the finished text could hit a number; it only tells cheaply whether there is anything to replace.
    if scrub(text) == text:
        return text
    return json.dumps(scrub_data(data), ensure_ascii=False, allow_nan=False, indent=indent)


_DECODER = json.JSONDecoder(parse_constant=lambda _name: None)


def loads(text: str) -> Any:
    """Return the value of a JSON text; the non-standard NaN and Infinity read as None.

    Raises:
        ValueError: it is not JSON.
    """
    return _DECODER.decode(text)


def leading_objects(text: str) -> tuple[list[dict[str, Any]], int]:
    """Return the JSON objects at the start of `text`, one after another, and where what is no object begins.

    That place is `len(text)` where nothing is left over.
    """
    objects: list[dict[str, Any]] = []
    place = _skip_blanks(text, 0)
    while place < len(text):
        try:
            value, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        if not isinstance(value, dict):
            break
        objects.append(value)
        place = _skip_blanks(text, end)
    return objects, place


def _skip_blanks(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t\r\n":
        place += 1
    return place
