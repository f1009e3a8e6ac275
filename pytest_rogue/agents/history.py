"""What a model has seen and said so far, and how it is sent."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_rogue.models.client import Message

NO_REPLY = "[no reply]"
"""Stands for an empty reply: several providers refuse a conversation that holds an empty message."""

_IMAGE_CHARACTERS = 6_000
"""What an image weighs beside text, in characters: about 1,500 tokens at four characters a token."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: what the model was told, what it was shown, and what it replied.

    Attributes:
        text: of the user's message.
        screenshot: PNG bytes, or None.
        reply: verbatim; empty while the turn is not answered.
    """

    text: str
    screenshot: bytes | None = None
    reply: str = ""

    @property
    def weight(self) -> int:
        """About how much of the context window it takes, in characters."""
        return len(self.text) + len(self.reply) + (_IMAGE_CHARACTERS if self.screenshot else 0)

    def without_screenshot(self) -> Turn:
        """Return the turn with a note in the place of its screenshot."""
        if self.screenshot is None:
            return self
        return replace(self, screenshot=None, text=f"[an older screenshot stood here]\n{self.text}")


def as_messages(system: str, turns: Sequence[Turn], current: Turn) -> list[Message]:
    """Return the whole conversation in OpenAI's chat form, `current` last."""
    return [
        {"role": "system", "content": system},
        *(message for turn in turns for message in _answered(turn)),
        _question(current),
    ]


def shortened(turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns at half their weight at most: the oldest screenshots go first, then the oldest turns."""
    limit = sum(turn.weight for turn in turns) // 2
    kept = list(turns)
    for index, turn in enumerate(turns):
        if sum(turn.weight for turn in kept) <= limit:
            break
        kept[index] = turn.without_screenshot()
    while sum(turn.weight for turn in kept) > limit:
        del kept[0]
    return kept


def _answered(turn: Turn) -> Iterator[Message]:
    yield _question(turn)
    yield {"role": "assistant", "content": turn.reply.strip() or NO_REPLY}


def _question(turn: Turn) -> Message:
    content: list[Message] = [{"type": "text", "text": turn.text}]
    if turn.screenshot is not None:
        url = f"data:image/png;base64,{base64.b64encode(turn.screenshot).decode()}"
        content.append({"type": "image_url", "image_url": {"url": url, "detail": "high"}})
    return {"role": "user", "content": content}
