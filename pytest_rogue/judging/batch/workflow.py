"""Submit, status, apply: from open questions to rows in the store, safe to be killed and run again at every point."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_rogue.judging.asking import judgment_of
from pytest_rogue.judging.batch.service import BatchRefused
from pytest_rogue.judging.batch.state import UNFINISHED, Batch, BatchState
from pytest_rogue.judging.coverage import Cache, questions, to_be_asked
from pytest_rogue.judging.prompt import messages_for
from pytest_rogue.records.judgments import Judgment, JudgmentStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from pytest_rogue.judging.batch.service import BatchService, Row
    from pytest_rogue.judging.coverage import Question
    from pytest_rogue.judging.episodes import RecordedEpisode
    from pytest_rogue.judging.run import JudgingPlan
    from pytest_rogue.judging.targets import Target
    from pytest_rogue.records.judgments import JudgmentKey
    from pytest_rogue.records.run_folder import RunFolder


LONGEST_ID = 64
"""Characters of a custom id that both providers take; letters, digits, `_` and `-`."""

_ENVELOPE = 1_000
"""Bytes around the requests of a batch."""


def state_path(folder: RunFolder, target: Target) -> Path:
    """Return where the state of a target's provider is kept."""
    return folder.path / f"judge-batches-{target.batch_provider}.json"


@dataclass(frozen=True, slots=True)
class BatchDesk:
    """Batches of one target for one run.

    Attributes:
        folder: the run's.
        episodes: that are judged.
        plan: judges, one target, mode.
        service: the provider.
    """

    folder: RunFolder
    episodes: tuple[RecordedEpisode, ...]
    plan: JudgingPlan
    service: BatchService

    @property
    def target(self) -> Target:
        """Who is asked."""
        return self.plan.targets[0]

    def submit(self) -> list[Batch]:
        """Send what has no valid judgment and is not on its way; return the batches that are new or were carried on.

        Raises:
            BatchUncertain: an answer was lost; running this again looks for what was sent before sending anything.
            BatchRefused: the provider will not take a batch; what it holds can be submitted again.
            ConfigError: the key is not accepted.
        """
        state = self._state()
        asked = self._questions()
        moved = [batch for batch in state.batches if batch.status in UNFINISHED and batch.target == self.target.name]
        for batch in moved:
            self._carry_on(batch, self._lines_again(batch, asked), state)
        on_its_way = {key for batch in state.batches if batch.status == "submitted" for key in batch.members.values()}
        todo = [question for question in to_be_asked(asked, self.plan.mode) if question.key not in on_its_way]
        for group in self._split(todo):
            batch, lines = self._planned(group, len(state.batches))
            state.batches.append(batch)
            state.save()
            self._carry_on(batch, lines, state)
            moved.append(batch)
        return moved

    def status(self) -> list[Batch]:
        """Ask how far each submitted batch is, keep the answer, and return all batches of the target."""
        state = self._state()
        batches = [batch for batch in state.batches if batch.target == self.target.name]
        for batch in batches:
            if batch.status == "submitted":
                self._look(batch, state)
        return batches

    def apply(self) -> list[Batch]:
        """Store every row of every batch that has ended, and return those batches.

        A row that was stored before is not stored twice. A row whose episode has changed since is stored under what it
        was asked about, and does not count.
        """
        state = self._state()
        applied = []
        for batch in state.batches:
            if batch.target == self.target.name and batch.status == "submitted" and self._look(batch, state):
                self._store_rows(batch, state)
                applied.append(batch)
        return applied

    # --- sending --------------------

    def _carry_on(self, batch: Batch, lines: list[bytes] | None, state: BatchState) -> None:
        try:
            self.service.submit(batch, lines, state.save, state.known_ids())
        except BatchRefused as error:
            batch.status, batch.problem = "refused", str(error)
            state.save()
            raise
        if batch.status in UNFINISHED:
            batch.status, batch.problem = "abandoned", "what it asked has changed before it was sent"
            state.save()

    def _planned(self, group: Sequence[Question], place: int) -> tuple[Batch, list[bytes]]:
        keys = [question.key for question in group if question.key]
        content = json.dumps([self.folder.run_id, place, [repr(key) for key in keys]])
        submission = hashlib.sha256(content.encode()).hexdigest()[:24]
        members = {_custom_id(submission, key): key for key in keys}
        return Batch(submission, self.target.name, members), list(self._lines(members, group))

    def _lines(self, members: dict[str, JudgmentKey], asked: Iterable[Question]) -> Iterator[bytes]:
        by_key = {question.key: question for question in asked}
        for custom_id, key in members.items():
            yield self._line(custom_id, by_key[key])

    def _line(self, custom_id: str, question: Question) -> bytes:
        assert question.transcript is not None  # noqa: S101 - what has a key has a transcript
        screens = question.episode.screens if self.target.screens else ()
        return self.service.line(custom_id, self.target, messages_for(question.judge, question.transcript, screens))

    def _lines_again(self, batch: Batch, asked: Sequence[Question]) -> list[bytes] | None:
        """Return the requests of a batch that was begun earlier, None where an episode or a judge has changed since."""
        current = {question.key for question in asked}
        if not set(batch.members.values()) <= current:
            return None
        return list(self._lines(batch.members, asked))

    def _split(self, todo: Sequence[Question]) -> Iterator[list[Question]]:
        """Yield groups that fit the limits. A request that fits no batch at all is sent alone, and refused there."""
        limits = self.service.limits
        group: list[Question] = []
        size = 0
        for question in todo:
            needs = len(self._line("x" * LONGEST_ID, question)) + 2
            if group and (len(group) == limits.requests or size + needs > limits.size - _ENVELOPE):
                yield group
                group, size = [], 0
            group.append(question)
            size += needs
        if group:
            yield group

    # --- receiving --------------------

    def _look(self, batch: Batch, state: BatchState) -> bool:
        progress = self.service.progress(batch)
        batch.remote, batch.problem = progress.status, progress.problem
        state.save()
        return progress.ended

    def _store_rows(self, batch: Batch, state: BatchState) -> None:
        by_key = {question.key: question for question in self._questions()}
        counts: Counter[str] = Counter()
        seen: set[str] = set()
        with JudgmentStore(self.folder.store) as store:
            for row in self.service.rows(batch):
                if row.custom_id not in batch.members:
                    counts["unknown"] += 1
                elif row.custom_id in seen:
                    counts["repeated"] += 1
                else:
                    seen.add(row.custom_id)
                    counts[self._store_row(store, batch, row, by_key.get(batch.members[row.custom_id]))] += 1
            if counts["unknown"] and not seen:
                self._not_ours(batch, state)
                return
            for custom_id in batch.members.keys() - seen:
                why = f"the batch ended ({batch.remote}) without a result for this request. {batch.problem}".strip()
                store.append(self._failed(batch, custom_id, why))
                counts["failed"] += 1
        batch.counts, batch.status = dict(counts), "applied"
        state.save()

    def _store_row(self, store: JudgmentStore, batch: Batch, row: Row, question: Question | None) -> str:
        if row.problem:
            store.append(replace(self._failed(batch, row.custom_id, row.problem), usage=row.usage))
            return "failed"
        key, origin = batch.members[row.custom_id], self._origin(batch, row.custom_id)
        if question is None or question.transcript is None:
            # What was asked is not there any more, so that the answer cannot be checked; it is paid for and kept.
            problem = "the episode or the judge has changed since this was asked"
            kept = Judgment(key, problem=problem, reply=row.text, usage=row.usage, source="batch", origin=origin)
            store.append(kept)
            return "changed"
        judgment = judgment_of(key, question.judge, question.transcript, row.text, usage=row.usage, source="batch")
        store.append(replace(judgment, origin=origin))
        return "valid" if judgment.valid else "failed"

    def _failed(self, batch: Batch, custom_id: str, problem: str) -> Judgment:
        key, origin = batch.members[custom_id], self._origin(batch, custom_id)
        return Judgment(key, problem=problem, source="batch", origin=origin)

    def _origin(self, batch: Batch, custom_id: str) -> str:
        return f"{self.target.batch_provider}:{batch.batch_id}:{custom_id}"

    def _not_ours(self, batch: Batch, state: BatchState) -> None:
        """Let go of a batch that was taken for this one; ours was never made, or is another."""
        batch.not_ours.append(batch.batch_id)
        batch.batch_id, batch.status = "", "creating"
        batch.problem = "the batch that was taken for this one is another; submit again"
        state.save()

    # --------------------

    def _state(self) -> BatchState:
        return BatchState(state_path(self.folder, self.target))

    def _questions(self) -> tuple[Question, ...]:
        with JudgmentStore(self.folder.store) as store:
            cache = Cache(store.all())
        return questions(self.episodes, self.plan.judges, (self.target,), cache)


def _custom_id(submission: str, key: JudgmentKey) -> str:
    """Return a safe id, unique for each judgment of each submission; the state file maps it back."""
    return f"rogue-{submission[:16]}-{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}"
