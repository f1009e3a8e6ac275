"""What a model has seen and said so far, and how it is sent."""

from __future__ import annotations

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
class Answer:
    """What a model is told about one of its tool calls: the `id` of the call, and the words."""

    call: str
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: what the model was told, what it was shown, and what it replied.

    Attributes:
        text: of the user's message.
        picture: address that holds the picture (`data:image/...`), or None.
        answers: to the tool calls of the turn before.
        reply: verbatim; empty while the turn is not answered.
        message: the reply as its provider wants it back, None where the words say all of it.
    """

    text: str
    picture: str | None = None
    answers: tuple[Answer, ...] = ()
    reply: str = ""
    message: Message | None = None

    @property
    def weight(self) -> int:
        """About how much of the context window it takes, in characters."""
        words = len(self.text) + len(self.reply) + sum(len(answer.text) for answer in self.answers)
        return words + (_IMAGE_CHARACTERS if self.picture else 0)

    def without_picture(self) -> Turn:
        """Return the turn with a note in the place of its picture."""
        if self.picture is None:
            return self
        return replace(self, picture=None, text=f"[an older screenshot stood here]\n{self.text}")

    def without_answers(self) -> Turn:
        """Return the turn with the answers as plain words, for a conversation in which their calls do not stand."""
        if not self.answers:
            return self
        return replace(self, answers=(), text="\n\n".join([*(answer.text for answer in self.answers), self.text]))


def as_messages(
    system: str,
    turns: Sequence[Turn],
    current: Turn,
    *,
    pictures_in_results: bool = False,
    most_images: int | None = None,
) -> list[Message]:
    """Return the whole conversation in OpenAI's chat form, `current` last.

    Args:
        system: the system message.
        turns: those that were answered, oldest first.
        current: the one to be answered.
        pictures_in_results: whether the answer to a tool call may hold a picture.
        most_images: that the conversation may have; the oldest are left out. None for no limit.
    """
    first, *others = _fewer_pictures([*turns, current], most_images)
    shown = [first.without_answers(), *others]
    messages: list[Message] = [{"role": "system", "content": system}]
    for turn in shown[:-1]:
        messages += _question(turn, pictures_in_results)
        messages.append(turn.message or {"role": "assistant", "content": turn.reply.strip() or NO_REPLY})
    messages += _question(shown[-1], pictures_in_results)
    return messages


def shortened(turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns at half their weight at most: the oldest screenshots go first, then the oldest turns."""
    limit = sum(turn.weight for turn in turns) // 2
    kept = list(turns)
    for index, turn in enumerate(turns):
        if sum(turn.weight for turn in kept) <= limit:
            break
        kept[index] = turn.without_picture()
    while sum(turn.weight for turn in kept) > limit:
        del kept[0]
    return kept


def _fewer_pictures(turns: list[Turn], most: int | None) -> list[Turn]:
    surplus = 0 if most is None else sum(turn.picture is not None for turn in turns) - most
    kept = []
    for turn in turns:
        drop = surplus > 0 and turn.picture is not None
        surplus -= drop
        kept.append(turn.without_picture() if drop else turn)
    return kept


def _question(turn: Turn, pictures_in_results: bool) -> Iterator[Message]:
    in_result = turn.answers and pictures_in_results
    for answer in turn.answers:
        with_picture = in_result and answer is turn.answers[-1]
        yield {
            "role": "tool",
            "tool_call_id": answer.call,
            "content": _content(answer.text, turn.picture) if with_picture else answer.text,
        }
    content = _content(turn.text, None if in_result else turn.picture)
    if content:
        yield {"role": "user", "content": content}


def _content(text: str, picture: str | None) -> list[Message]:
    content: list[Message] = [{"type": "text", "text": text}] if text else []
    if picture is not None:
        content.append({"type": "image_url", "image_url": {"url": picture, "detail": "high"}})
    return content
