"""How a mistake in a task or manifest file is told to its author: file, line, field, what is wrong, what was expected.

The parsers underneath (TOML, JSON, pydantic) know what is wrong but not always where, and speak to programmers. This
module turns their findings into one sentence a problem and names the key that was probably meant.
"""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from pydantic import ValidationError

Place = tuple[int | str, ...]
"""Where in the data: keys and list indices from the top, `("setup", 0, "path")` for instance."""

SHOWN = 3
"""How many problems of one file are told; the rest is counted."""

MAX_BYTES = 32 * 1024 * 1024
"""A larger task or manifest file is a mistake."""


def read_source(path: Path, what: str) -> str:
    """Return the text of a task or manifest file.

    Args:
        path: the file.
        what: what it should be, for the message (`task file`, `manifest`).

    Raises:
        TaskError: it is missing, unreadable, empty, too large, not UTF-8, or begins with a byte order mark.
    """
    try:
        if not path.is_file():
            raise TaskError(f"{path}: there is no such {what}")
        if (size := path.stat().st_size) > MAX_BYTES:
            raise TaskError(f"{path}: this {what} has {size:,} bytes, more than the {MAX_BYTES:,} that are read")
        data = path.read_bytes()
    except OSError as error:
        raise TaskError(f"{path}: this {what} cannot be read: {error.strerror}") from error
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise TaskError(f"{path}:1: this {what} begins with a byte order mark; save it as plain UTF-8")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TaskError(f"{path}:{line}: this {what} is not UTF-8; save it as plain UTF-8") from error
    if not text.strip():
        raise TaskError(f"{path}:1: this {what} is empty")
    return text


def join_problems(problems: Sequence[str]) -> str:
    """Return the first few problems, one a line, and how many more there are."""
    more = len(problems) - SHOWN
    return "\n".join([*problems[:SHOWN], *([f"(and {more} more)"] if more > 0 else [])])


def closest(word: str, known: Iterable[str]) -> str:
    """Return a phrase that names the known word nearest to `word`, or lists the known words where none is near."""
    words = sorted(known)
    near = get_close_matches(word, words, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(words)}"


def shown(value: object, limit: int = 60) -> str:
    """Return `value` as JSON of at most `limit` characters; control characters are escaped."""
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def sentences(error: ValidationError, known_keys: Callable[[Place], Iterable[str]]) -> list[tuple[Place, str]]:
    """Return place and sentence of each problem that pydantic found.

    Args:
        error: what pydantic raised.
        known_keys: says which keys may stand at a place, for the nearest known key.
    """
    return [(problem["loc"], _sentence(dict(problem), known_keys)) for problem in error.errors(include_url=False)]


def _sentence(problem: dict[str, Any], known_keys: Callable[[Place], Iterable[str]]) -> str:
    place: Place = problem["loc"]
    match problem["type"]:
        case "extra_forbidden":
            return f"unknown key; {closest(str(place[-1]), known_keys(place[:-1]))}"
        case "missing":
            return "this key is missing"
        case "value_error":
            return str(problem["ctx"]["error"])
    message = str(problem["msg"])
    found = problem["input"]
    return message[:1].lower() + message[1:] + ("" if isinstance(found, dict | list) else f", found {shown(found)}")
