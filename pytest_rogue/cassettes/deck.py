"""The deck that an episode's exchanges pass through: one that records them, and one that replays them.

Guest and model share one deck, so that a tape holds one sequence. Both sides of an exchange are plain data, and what a
recording hands on is what a replay will hand on: whatever a tape cannot hold is missed while it is recorded.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

from pytest_rogue.cassettes.beside import Beside
from pytest_rogue.cassettes.difference import first_difference
from pytest_rogue.cassettes.tape import RECORD_AGAIN, Exchange, TapeWriter
from pytest_rogue.errors import CassetteError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_rogue.cassettes.masking import Mask
    from pytest_rogue.cassettes.tape import Label, Seam, Tape

Data = dict[str, Any]

_TOLD_BESIDE = ("reasoning_effort", "max_tokens_per_reply", "temperature", "top_p")
"""Conditions that a model is sent beside its messages; on a tape they stand in the label alone."""


class Deck(Protocol):
    """What an episode's exchanges pass through."""

    @property
    def label(self) -> Label:
        """What is written on the tape."""
        ...

    def exchange(self, seam: Seam, request: Data, live: Callable[[], Data]) -> Data:
        """Return the answer to a request.

        Args:
            seam: which two talk.
            request: what one of them asks; bytes may be in it.
            live: asks the other one, and returns what it answered or how it failed.

        Raises:
            CassetteError: the tape has something else here.
        """
        ...

    def finish(self) -> None:
        """End the tape with the episode.

        Raises:
            CassetteError: the episode took another course than the recorded one.
        """
        ...


class RecordingDeck:
    """Asks, and keeps what was answered. What is asked after `finish` is answered, and not kept.

    Args:
        path: of the tape.
        label: what is written on it.
        mask: for the data of the episode.
    """

    def __init__(self, path: Path, label: Label, mask: Mask) -> None:
        self.label = label
        self._mask = mask
        self._writer: TapeWriter | None = TapeWriter(path, label)
        self._lock = threading.Lock()

    def exchange(self, seam: Seam, request: Data, live: Callable[[], Data]) -> Data:
        """Ask, and return what will be replayed."""
        with self._lock:
            answer = live()
            if self._writer is None:
                return answer
            beside = self._writer.beside
            asked, answered = (self._mask.put_on(beside.put(data)) for data in (request, answer))
            self._writer.append(Exchange(seam, asked, answered))
            replayed: Data = beside.fetch(self._mask.take_off(answered))
            return replayed

    def finish(self) -> None:
        """Write the end of the tape."""
        with self._lock:
            if self._writer is not None:
                self._writer.finish()
                self._writer = None


class ReplayingDeck:
    """Answers from a tape, in its order; asks nobody.

    Args:
        tape: to be replayed.
        label: what would be written on a tape of this episode now: it holds the options of a model, and helps to say
            why the two differ.
        mask: for the data of the episode.
    """

    def __init__(self, tape: Tape, label: Label, mask: Mask) -> None:
        self.label = tape.label
        self._now = label
        self._tape = tape
        self._mask = mask
        self._beside = Beside(tape.path.parent)
        self._place = 0
        self._problem = ""
        self._lock = threading.Lock()

    def exchange(self, seam: Seam, request: Data, live: Callable[[], Data]) -> Data:  # noqa: ARG002 - nobody is asked
        """Return the recorded answer to the recorded request."""
        with self._lock:
            if not self._problem:
                self._problem = self._divergence(seam, self._mask.put_on(self._beside.put(request, keep=False)))
            if self._problem:
                raise CassetteError(self._problem)
            answer: Data = self._beside.fetch(self._mask.take_off(self._tape.exchanges[self._place].answer))
            self._place += 1
            return answer

    def finish(self) -> None:
        """See that the episode ended where the recorded one did, and went the same way."""
        left = len(self._tape.exchanges) - self._place
        if left and not self._problem:
            came = _name(self._tape.exchanges[self._place])
            self._problem = self._told(f"the episode ended, and the recorded one went on with {came}")
        if self._problem:
            raise CassetteError(self._problem)

    def _divergence(self, seam: Seam, request: Data) -> str:
        """Return what is wrong with a request, empty where it is the recorded one."""
        asked = Exchange(seam, request, {})
        if self._place == len(self._tape.exchanges):
            return self._told(f"the recorded episode had ended, and this one goes on with {_name(asked)}")
        recorded = self._tape.exchanges[self._place]
        if _name(recorded) != _name(asked):
            return self._told(f"recorded was {_name(recorded)}, and now comes {_name(asked)}")
        found = first_difference(_in_full(recorded, self.label), _in_full(asked, self._now))
        return self._told(f"{_name(asked)} differs in {found}") if found else ""

    def _told(self, what: str) -> str:
        place = f"exchange {self._place + 1} of {len(self._tape.exchanges)}"
        changed = self.label.differences(self._now)
        since = f" (since it was recorded: {'; '.join(changed)})" if changed else ""
        return f"the replay of {self._tape.path} parts from the tape at {place}: {what}{since}; {RECORD_AGAIN}"


def _in_full(exchange: Exchange, label: Label) -> Data:
    """Return a request with the options that a model is sent with it."""
    if exchange.seam == "guest":
        return exchange.request
    return {name: label.conditions.get(name) for name in _TOLD_BESIDE} | exchange.request


def _name(exchange: Exchange) -> str:
    """Return what kind of request it is, for people."""
    if exchange.seam == "model":
        return "a question to the model"
    return f"{exchange.request['method']} {exchange.request['path']}"
