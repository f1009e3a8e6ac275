"""Read a choice from a reply. What is not clearly one choice is none."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_DECODER = json.JSONDecoder()
_LETTER_ALONE = re.compile(
    r"(?:(?:my )?(?:answer|choice|option)(?: is)?)?[\s:*_`\"'(\[]*([A-Za-z])[\s.*_`\"')\]]*", re.IGNORECASE
)


def choice_in(reply: str, letters: Collection[str]) -> str | None:
    """Return the letter that a reply chooses, None where it chooses none, or more than one.

    JSON objects with a `choice` count first, wherever they stand. Without one, the reply or its last line has to be a
    letter and nothing more, but for `Answer:` before it and marks around it.

    Args:
        reply: of the model, anything.
        letters: that can be chosen, capitals.
    """
    named = {str(choice).strip().upper() for choice in _choices(reply)}
    if not named:
        lines = reply.strip().splitlines()
        whole = _LETTER_ALONE.fullmatch(lines[-1].strip()) if lines else None
        named = {whole[1].upper()} if whole else set()
    chosen = named.pop() if len(named) == 1 else None
    return chosen if chosen in set(letters) else None


def _choices(reply: str) -> Iterator[object]:
    """Yield the value of `choice` in each JSON object of a text."""
    place = reply.find("{")
    while place >= 0:
        try:
            value, end = _DECODER.raw_decode(reply, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            if isinstance(value, dict) and "choice" in value:
                yield value["choice"]
        place = reply.find("{", end)
