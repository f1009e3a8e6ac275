"""Talks with many programs at once, each at its own pace, so that a slow one delays none of the others.

A talk is a generator: it yields rounds of questions, and goes on when all answers of the round were handed to their
takers, or were errors. What it returns at its end is what was found.
"""

from __future__ import annotations

import struct
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from .dbus import Call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .bus_lines import Key, Lines

Found = TypeVar("Found")
Question = tuple[Call, Callable[[bytes], None]]
"""A call, and who takes the marshalled answer to it."""
Rounds = Generator[Sequence[Question], None, Found]

_AT_ONCE = 4000  # calls that a program has to answer at a time; the bus allows 50,000 of a connection


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Who could not be talked with to the end.

    Attributes:
        silent: answered nothing while there was patience, and was given up.
        late: was still answering when the deadline came.
    """

    silent: frozenset[str]
    late: frozenset[str]


@dataclass(slots=True, eq=False)
class _Talk:
    name: str
    rounds: Rounds[None]
    heard: float = 0.0
    left: int = 0
    unsent: deque[Question] = field(default_factory=deque)


def hold(lines: Lines, talks: Mapping[str, Rounds[None]], *, deadline: float, patience: float) -> Unfinished:
    """Hold all talks to their end, as far as the time allows.

    Args:
        lines: to all of them.
        talks: the rounds of each, under the name by which it stands in the result.
        deadline: moment of the monotonic clock at which waiting ends.
        patience: seconds after which one that has answered nothing is given up.

    Raises:
        BusError: the connection was lost.
    """
    asked: dict[Key, tuple[_Talk, Question]] = {}
    going = {name: _Talk(name, rounds) for name, rounds in talks.items()}
    silent = set()
    for talk in [*going.values()]:
        _go_on(lines, talk, asked, going)
    while going and (now := time.monotonic()) < deadline:
        given_up = min(talk.heard for talk in going.values()) + patience
        for key, body in lines.receive(min(deadline, given_up) - now):
            if key in asked:  # else it answers a call of an earlier talk that was given up
                talk, question = asked.pop(key)
                talk.heard = time.monotonic()
                talk.left -= 1
                _hand_over(question, body)
                if not talk.left and talk.name in going:
                    _go_on(lines, talk, asked, going)
        for name in [name for name, talk in going.items() if time.monotonic() - talk.heard >= patience]:
            del going[name]
            silent.add(name)
    lines.finish()
    return Unfinished(frozenset(silent), frozenset(going))


def _go_on(lines: Lines, talk: _Talk, asked: dict[Key, tuple[_Talk, Question]], going: dict[str, _Talk]) -> None:
    """Send what is to be asked next, and drop a talk that is at its end."""
    while not talk.unsent:
        try:
            talk.unsent.extend(next(talk.rounds))
        except StopIteration:
            del going[talk.name]
            return
    questions = [talk.unsent.popleft() for _ in range(min(_AT_ONCE, len(talk.unsent)))]
    talk.left = len(questions)
    talk.heard = time.monotonic()
    keys = lines.send([call for call, _ in questions])
    asked.update(zip(keys, ((talk, question) for question in questions), strict=True))


def _hand_over(question: Question, body: bytes | None) -> None:
    if body is None:
        return
    _, take = question
    try:
        take(body)
    except (struct.error, IndexError):
        return  # a program that answers with other types than the interface has: as no answer
