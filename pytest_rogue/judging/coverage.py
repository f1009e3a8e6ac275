"""What is asked, and what of it is answered already: valid, stale, missing, or not to be judged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pytest_rogue.interaction import Usage
from pytest_rogue.judging.asking import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_rogue.judging.episodes import RecordedEpisode
    from pytest_rogue.judging.judge import Judge
    from pytest_rogue.judging.targets import Target
    from pytest_rogue.judging.transcript import Transcript
    from pytest_rogue.records.judgments import Judgment, JudgmentKey

CHARACTERS_A_TOKEN = 4
TOKENS_OF_AN_ANSWER = 4_000
"""What is taken for the length of an answer with its thinking, where a cost has to be told before it is known."""


class State(StrEnum):
    """What the cache knows about a question."""

    VALID = "valid"
    STALE = "stale"
    """There is an answer of the same target, but to another version, setting, or transcript."""
    MISSING = "missing"
    NOT_JUDGED = "not_judged"
    """The episode's record is empty or broken."""


@dataclass(frozen=True, slots=True)
class Question:
    """One judge, one target, one episode; `key` and `transcript` are None where the episode cannot be judged."""

    episode: RecordedEpisode
    judge: Judge
    target: Target
    state: State
    key: JudgmentKey | None
    transcript: Transcript | None


class Cache:
    """The judgments of a store, by key; of several under one key the latest valid one counts.

    Args:
        judgments: every row, oldest first.
    """

    def __init__(self, judgments: Iterable[Judgment] = ()) -> None:
        self._valid: dict[JudgmentKey, Judgment] = {}
        self._failed: dict[JudgmentKey, Judgment] = {}
        self._usage: dict[JudgmentKey, Usage] = {}
        self._known: set[tuple[str, str, str]] = set()
        for judgment in judgments:
            self.add(judgment)

    def add(self, judgment: Judgment) -> None:
        """Take in a row that is newer than all before."""
        key = judgment.key
        self._usage[key] = self.usage(key) + judgment.usage
        if judgment.valid:
            self._valid[key] = judgment
            self._known.add((key.episode, key.target, key.judge))
        else:
            self._failed[key] = judgment

    def answer(self, key: JudgmentKey) -> Judgment | None:
        """Return the valid judgment under `key`, None where there is none."""
        return self._valid.get(key)

    def failure(self, key: JudgmentKey) -> Judgment | None:
        """Return the last failed judgment under `key`, None where none failed."""
        return self._failed.get(key)

    def usage(self, key: JudgmentKey) -> Usage:
        """Return what all judgments under `key` have used, those that were no answer or were replaced included."""
        return self._usage.get(key, Usage())

    def valid(self) -> tuple[Judgment, ...]:
        """Return every judgment that counts."""
        return tuple(self._valid.values())

    def state(self, key: JudgmentKey) -> State:
        """Return what is known about `key`."""
        if key in self._valid:
            return State.VALID
        return State.STALE if (key.episode, key.target, key.judge) in self._known else State.MISSING


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far one target's answers go.

    Attributes:
        target: who.
        counts: questions by state.
        planned: calls that judging would make.
        cost: in US dollars, estimated; None where the price is not known.
    """

    target: str
    counts: Counter[State]
    planned: int
    cost: float | None


def questions(
    episodes: Sequence[RecordedEpisode], judges: Sequence[Judge], targets: Sequence[Target], cache: Cache
) -> tuple[Question, ...]:
    """Return every question that concerns these episodes, in their order."""
    return tuple(
        _question(episode, judge, target, cache)
        for episode in episodes
        for judge in judges
        if judge.asks_about(episode.scenario)
        for target in targets
    )


def to_be_asked(asked: Iterable[Question], mode: str) -> tuple[Question, ...]:
    """Return the questions that call for an answer: in `auto` those without one, in `refresh` all, else none.

    The rules are asked in any mode: their answer is worked out here and costs nothing.
    """
    return tuple(question for question in asked if question.state in _wanted(mode, question.target))


def _wanted(mode: str, target: Target) -> set[State]:
    open_states = {State.STALE, State.MISSING}
    if mode == "refresh":
        return open_states | {State.VALID}
    return open_states if mode == "auto" or target.is_rules else set()


def coverage(asked: Sequence[Question], targets: Sequence[Target], mode: str) -> tuple[Coverage, ...]:
    """Return how far the answers of each target go, and what the rest would cost. Nothing is called or written."""
    return tuple(
        _coverage([question for question in asked if question.target == target], target, mode) for target in targets
    )


def _question(episode: RecordedEpisode, judge: Judge, target: Target, cache: Cache) -> Question:
    if episode.transcript is None:
        return Question(episode, judge, target, State.NOT_JUDGED, None, None)
    key = key_of(episode.key, target, judge, episode.transcript)
    return Question(episode, judge, target, cache.state(key), key, episode.transcript)


def _coverage(asked: Sequence[Question], target: Target, mode: str) -> Coverage:
    planned = to_be_asked(asked, mode)
    counts = Counter(question.state for question in asked)
    return Coverage(target.name, counts, 0 if target.is_rules else len(planned), _cost(planned, target))


def _cost(planned: Sequence[Question], target: Target) -> float | None:
    if target.is_rules or not planned:
        return 0.0
    from pytest_rogue.judging.prompt import messages_for
    from pytest_rogue.models.prices import estimated_cost

    characters = sum(
        len(message["content"])
        for question in planned
        if question.transcript is not None
        for message in messages_for(question.judge, question.transcript)
    )
    return estimated_cost(
        target.model,
        prompt_tokens=characters // CHARACTERS_A_TOKEN,
        completion_tokens=len(planned) * TOKENS_OF_AN_ANSWER,
    )
