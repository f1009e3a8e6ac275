"""Ask all that is to be asked, several at once, and keep every answer the moment it is there."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_rogue.errors import ModelError
from pytest_rogue.judging.asking import ask, client_of, ends_target
from pytest_rogue.judging.coverage import Cache, questions, to_be_asked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_rogue.judging.coverage import Question
    from pytest_rogue.judging.episodes import RecordedEpisode
    from pytest_rogue.judging.judge import Judge
    from pytest_rogue.judging.targets import Target
    from pytest_rogue.models.client import ModelClient
    from pytest_rogue.records.judgments import Judgment, JudgmentStore

AT_ONCE = 8
"""Questions that are asked at the same time."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a session of judging gave.

    Attributes:
        asked: every question that concerns the episodes.
        cache: every judgment there is, the new ones included.
        problems: by question's key, why it got no answer in this session.
        calls: how many questions were put to a target in this session.
    """

    asked: tuple[Question, ...]
    cache: Cache
    problems: dict[object, str]
    calls: int


def judge_episodes(
    episodes: Sequence[RecordedEpisode],
    judges: Sequence[Judge],
    targets: Sequence[Target],
    store: JudgmentStore,
    *,
    mode: str = "auto",
    make_client: Callable[[Target], ModelClient] = client_of,
) -> Judged:
    """Judge episodes.

    Args:
        episodes: what is judged.
        judges: what is asked.
        targets: who is asked, the primary one first.
        store: keeps the answers; what is valid in it is not asked again.
        mode: `auto` asks what has no valid answer, `refresh` asks all, `cache_only` nothing.
        make_client: makes the client of a target's model.

    Raises:
        InfraError: an answer could not be stored; what was stored before stands.
        ConfigError: a model cannot be called from here.
    """
    cache = Cache(store.all())
    asked = questions(episodes, judges, targets, cache)
    todo = to_be_asked(asked, mode)
    called = dict.fromkeys(question.target for question in todo)
    clients = {target: None if target.is_rules else make_client(target) for target in called}
    desk = _Desk(store, cache, clients)
    pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="judge")
    try:
        for done in as_completed([pool.submit(desk.put, question) for question in todo]):
            done.result()
    finally:
        # What is being answered is paid for, and is waited for; what has not begun is not begun.
        pool.shutdown(cancel_futures=True)
    return Judged(questions(episodes, judges, targets, cache), cache, desk.problems, len(todo))


class _Desk:
    """Puts questions, from many threads, and keeps what comes back."""

    def __init__(self, store: JudgmentStore, cache: Cache, clients: dict[Target, ModelClient | None]) -> None:
        self._store = store
        self._cache = cache
        self._clients = clients
        self._lock = threading.Lock()
        self._ended: dict[Target, str] = {}
        self.problems: dict[object, str] = {}

    def put(self, question: Question) -> None:
        assert question.key is not None  # noqa: S101 - what has no key is not asked
        assert question.transcript is not None  # noqa: S101 - likewise
        ended = self._ended.get(question.target)
        if ended:
            self.problems[question.key] = ended
            return
        try:
            judgment = ask(
                question.key,
                question.judge,
                question.target,
                question.transcript,
                keep=self._keep,
                client=self._clients[question.target],
                screens=question.episode.screens if question.target.screens else (),
            )
        except ModelError as error:
            self.problems[question.key] = str(error)
            if ends_target(error):
                self._ended[question.target] = str(error)
        else:
            if not judgment.valid:
                self.problems[question.key] = judgment.problem

    def _keep(self, judgment: Judgment) -> None:
        self._store.append(judgment)
        with self._lock:
            self._cache.add(judgment)
