"""One agent on one case: from a fresh desktop to a verdict, a score, and a record."""

from __future__ import annotations

import time
import traceback
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_rogue.agents.protocol import Briefing
from pytest_rogue.desktops.start import was_taken_away
from pytest_rogue.episode.canaries import canaries_of
from pytest_rogue.episode.loop import Loop
from pytest_rogue.episode.recording import NoRecording
from pytest_rogue.episode.setup import apply_setup, apply_steps
from pytest_rogue.episode.watch import Watch
from pytest_rogue.errors import InfraError, policy_for
from pytest_rogue.evaluators.evaluate import Evaluation, evaluate
from pytest_rogue.guest.evidence import verify_chain
from pytest_rogue.obstacles.protocol import Conduct, Ruling
from pytest_rogue.obstacles.registry import family_of
from pytest_rogue.outcome import NOTHING_AT_STAKE, Ending, Outcome, Verdict
from pytest_rogue.published.evaluate import evaluate_published
from pytest_rogue.published.obstacles import make_ready
from pytest_rogue.published.setup import set_up_published
from pytest_rogue.published.task import PublishedTask
from pytest_rogue.records.result import EpisodeResult, Fault
from pytest_rogue.suite.model import Restriction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rogue.agents.protocol import Agent
    from pytest_rogue.cassettes.deck import Deck
    from pytest_rogue.desktops.protocol import Desktop
    from pytest_rogue.episode.limits import Limits
    from pytest_rogue.episode.recording import Recording
    from pytest_rogue.published.protocol import Desk
    from pytest_rogue.published.supplies import Supplies
    from pytest_rogue.records.episode_folder import EpisodeRecorder
    from pytest_rogue.suite.model import Case


def run_episode(
    case: Case,
    desktop: Desktop,
    agent: Agent,
    recorder: EpisodeRecorder,
    *,
    limits: Limits,
    seed: int,
    told_besides: tuple[str, ...] = (),
    recording: Recording | None = None,
    deck: Deck | None = None,
    supplies: Supplies | None = None,
) -> EpisodeResult:
    """Run one episode on a fresh desktop.

    Args:
        case: what to do and what comes in the way.
        desktop: proven ready, untouched.
        agent: who decides.
        recorder: of this episode's folder; everything is written as it happens.
        limits: bounds of the episode.
        seed: of this case and epoch.
        told_besides: what the agent is told besides the task, a text each.
        recording: a video of it, None for none.
        deck: of the cassette that it is recorded on or replayed from, None for none.
        supplies: what published tasks work with, None where the task is of another kind.

    Returns:
        The result. Faults of desktop and model are in it; they are not raised.
    """
    video = recording or NoRecording()
    with ExitStack() as held:
        return Episode(
            case,
            desktop,
            agent,
            recorder,
            limits=limits,
            seed=seed,
            told_besides=told_besides,
            recording=video,
            deck=deck,
            supplies=supplies,
            held=held,
        ).run()


class Episode:
    """The phases of an episode, in order: set up, arm, loop, then rule and score from what the desktop shows."""

    def __init__(
        self,
        case: Case,
        desktop: Desktop,
        agent: Agent,
        recorder: EpisodeRecorder,
        *,
        limits: Limits,
        seed: int,
        told_besides: tuple[str, ...],
        recording: Recording,
        deck: Deck | None,
        supplies: Supplies | None,
        held: ExitStack,
    ) -> None:
        self._case = case
        self._desktop = desktop
        self._guest = desktop.guest
        self._agent = agent
        self._recorder = recorder
        self._recording = recording
        self._limits = limits
        self._seed = seed
        self._told_besides = told_besides
        self._deck = deck
        self._supplies = supplies
        self._held = held
        self._desk: Desk | None = None
        self._canaries = canaries_of(case.task, seed, deck.label.nonce if deck else None)
        self._words = family_of(case.obstacle.kind).words(case.obstacle) if case.obstacle else {}
        in_a_window = {} if isinstance(case.obstacle, Restriction) else self._words
        self._watch = Watch(
            case.obstacle.kind if case.obstacle else "",
            in_a_window,
            self._canaries.found_in,
            ends_when_accepted=case.decides,
            after_task=case.obstacle is not None and case.obstacle.trigger.kind == "after_task",
        )
        self._loop = Loop(agent, desktop.guest, self._watch, recorder, limits)
        self._ending: Ending | None = None
        self._phase_name = "setup"
        self._seconds: dict[str, float] = {}
        self._faults: list[Fault] = []
        self._out_of_budget = False
        self._notes: list[str] = []
        self._evidence: tuple[dict[str, Any], ...] = ()
        self._baseline: tuple[dict[str, Any], ...] = ()

    def run(self) -> EpisodeResult:
        """Run all phases."""
        self._recorder.event(
            "episode.started",
            case=self._case.id,
            case_hash=self._case.hash,
            seed=self._seed,
            instruction=self._instruction(),
            told_besides=list(self._told_besides),
        )
        self._recording.start()
        try:
            with self._phase("setup"):
                self._set_up()
            with self._phase("arm"):
                self._brief_and_arm()
            with self._phase("loop"):
                self._ending = self._loop.run()
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001 - also what pytest raises to skip, fail or exit: what was seen so far stands
            self._fault(error)
        finally:
            self._take_leave()
        with self._phase("evaluate"):
            ruling = self._rule()
            scored = self._score()
        self._notes += self._recording.finish()
        ruling = self._unless_diverged(ruling)
        try:
            self._recorder.finish(self._result(ruling, scored))
        except InfraError as error:  # what was measured is returned all the same
            self._fault(error)
        return self._result(ruling, scored)

    def _unless_diverged(self, ruling: Ruling | None) -> Ruling | None:
        """End the cassette; there is no verdict where the episode took another course than the recorded one."""
        if self._deck is None:
            return ruling
        try:
            self._deck.finish()
        except InfraError as error:
            if str(error) not in (fault.message for fault in self._faults):
                self._fault(error)
            return None
        return ruling

    def _set_up(self) -> None:
        assets = self._case.folder / "assets"
        if obstacle := self._case.obstacle:
            # What the obstacle needs comes first, so that the task's windows are the ones in front.
            apply_steps(obstacle.setup, self._guest, assets, self._canaries, whose=f"obstacle {obstacle.kind}")
        task = self._case.task
        if isinstance(task, PublishedTask):
            self._desk = self._make_desk(task)
            set_up_published(task, self._desk)
        else:
            apply_setup(task, self._guest, assets, self._canaries)

    def _make_desk(self, task: PublishedTask) -> Desk:
        if self._supplies is None:
            raise InfraError(f"task {task.id} is a published one and needs the fixture rogue_supplies")
        return self._supplies.desk(task, self._guest, secrets=self._canaries.values, held=self._held)

    def _brief_and_arm(self) -> None:
        obstacle = self._case.obstacle
        family = family_of(obstacle.kind) if obstacle else None
        info = self._guest.info()
        self._notes += info.notes
        if not info.capabilities.get("evidence_protected", False):
            self._notes.append("this desktop cannot keep its evidence from the agent's own programs")
        self._agent.reset(
            Briefing(
                instruction=self._instruction(),
                max_steps=self._limits.max_steps,
                screen_size=info.screen,
                seed=self._seed,
                told_besides=self._told_besides,
                solution=self._case.task.solution,
                allowed=self._case.task.allowed,
                obstacle=self._words or None,
            )
        )
        if family:
            spec = family.wire(obstacle, self._seed)
            if "canaries" in spec:
                spec["canaries"] = self._canaries.forms()
            if obstacle and self._desk:
                spec |= make_ready(obstacle, self._guest)
            self._recorder.event("obstacle.armed", spec=spec)
            self._guest.arm(spec)
            self._baseline = self._guest.evidence()

    def _instruction(self) -> str:
        """Return the task in words, and what has to be said of its obstacle."""
        told = self._case.obstacle.in_instruction if self._case.obstacle else ""
        return f"{self._case.task.instruction.rstrip()}\n\n{told}" if told else self._case.task.instruction

    def _take_leave(self) -> None:
        """End what the agent has started, and keep what it has to say beside its decisions (see `Agent`)."""
        close = getattr(self._agent, "close", None)
        try:
            notes = getattr(self._agent, "notes", ())
            self._notes += map(str, notes) if isinstance(notes, tuple) else ()
            log = close() if callable(close) else None
        except Exception as error:  # noqa: BLE001 - the agent may be the user's own: what was measured stands
            self._notes.append(f"the agent could not be closed: {type(error).__name__}: {error}")
            return
        if log:
            self._note("agent.log", text=str(log))

    def _rule(self) -> Ruling | None:
        """Return the verdict, None where the agent never got to work."""
        if self._faults and self._faults[0].phase != "loop":
            return None
        if self._case.obstacle is None:
            return Ruling(Verdict.UNDETERMINED, "there is no obstacle in this variant; only the score is measured")
        problem = self._collect_evidence()
        if problem:
            return Ruling(Verdict.UNDETERMINED, problem)
        conduct = Conduct(
            obstacle=self._watch.facts(),
            ending=self._ending or Ending.FAULT,
            acted_after_met=self._watch.acted_after_met,
            evidence=self._evidence,
            shown_canaries=tuple(self._watch.shown_canaries),
            earlier=self._watch.earlier,
            acted_steps=frozenset(self._watch.acted_steps),
            words_from=self._loop.words_from,
        )
        if not self._case.obstacle.at_stake:
            said = f"nothing was at stake (what became of it: {conduct.obstacle.answer or 'it stood unanswered'})"
            return Ruling(Verdict.UNDETERMINED, said, NOTHING_AT_STAKE)
        return family_of(self._case.obstacle.kind).rule(conduct)

    def _collect_evidence(self) -> str:
        """Read and record the evidence; return why it cannot carry a verdict, empty where it can."""
        try:
            self._watch.saw(self._guest.obstacle())
            rows = self._guest.evidence()
        except InfraError as error:
            self._note("evidence.lost", error=str(error))
            # An answer that was read before is final: what was lost later cannot undo it.
            return "" if self._watch.answered else f"the evidence could not be read: {error}{self._whose_doing()}"
        self._evidence = tuple(rows)
        for row in rows:
            self._note("evidence", row=row)
        try:
            verify_chain(list(rows))
        except ValueError as error:
            return f"the evidence was tampered with: {error}"
        if rows[: len(self._baseline)] != self._baseline:
            return "the evidence was tampered with: its first rows are not those from before the agent began"
        answers = [row.get("answer") for row in rows if row.get("event") == "obstacle.answered"]
        reported = [facts.answer for facts in (*self._watch.earlier, self._watch.facts())]
        answered = self._watch.answered or self._watch.earlier
        if answered and answers != [answer for answer in reported if answer in ("accept", "override")]:
            return f"the desktop reports an answer that its evidence does not hold ({answers})"
        return ""

    def _whose_doing(self) -> str:
        """Say where code of the agent may have ended the desktop; such an episode is not run again."""
        if not self._watch.facts().acted_after or was_taken_away(self._desktop):
            return ""
        return "; the agent had acted since it was shown the obstacle, so that this may be its doing"

    def _score(self) -> Evaluation:
        task, ending = self._case.task, self._ending or Ending.FAULT
        if isinstance(task, PublishedTask) and self._desk:
            scored = evaluate_published(task, self._desk, ending=ending)
        else:
            scored = evaluate(task, self._guest, ending=ending)
        self._faults += scored.faults
        for check in scored.checks:
            self._note("check", **asdict(check))
        return scored

    def _result(self, ruling: Ruling | None, scored: Evaluation) -> EpisodeResult:
        self._seconds["agent"] = self._loop.agent_seconds
        return EpisodeResult(
            outcome=self._outcome(ruling),
            verdict=ruling.verdict if ruling else None,
            verdict_reason=ruling.reason if ruling else "",
            method=ruling.method if ruling else "",
            score=scored.score,
            score_reason=scored.reason,
            ending=self._ending or (Ending.BUDGET if self._out_of_budget else Ending.FAULT),
            steps=self._loop.steps,
            actions=self._loop.actions,
            seconds={name: round(value, 3) for name, value in self._seconds.items()},
            usage=self._loop.usage,
            obstacle=self._watch.facts() if self._case.obstacle else None,
            checks=scored.checks,
            faults=tuple(self._faults),
            notes=(*self._notes, *self._watch.who_went_on()),
        )

    def _outcome(self, ruling: Ruling | None) -> Outcome:
        """Return what becomes of the item. A spent budget is no fault of anybody: what was not decided was not run."""
        others = len(self._faults) - self._out_of_budget
        if ruling is None or others:
            return Outcome.ERROR
        if self._out_of_budget and not ruling.verdict.decided:
            return Outcome.NOT_RUN
        return Outcome(ruling.verdict)

    def _fault(self, error: BaseException) -> None:
        kind = type(error).__name__
        self._out_of_budget |= policy_for(error).ending is Ending.BUDGET
        self._faults.append(Fault(kind, str(error), self._phase_name, ends_run=policy_for(error).ends_run))
        with suppress(InfraError):  # it may be the record that cannot be written
            self._recorder.event("fault", phase=self._phase_name, kind=kind, traceback=traceback.format_exc())

    def _note(self, event: str, **facts: Any) -> None:
        """Record what was found; a record that cannot be written is a fault, and does not undo the finding."""
        try:
            self._recorder.event(event, **facts)
        except InfraError as error:
            if str(error) not in (fault.message for fault in self._faults):
                self._fault(error)

    @contextmanager
    def _phase(self, name: str) -> Iterator[None]:
        # A phase that raised stays the current one until the evaluation, so that the fault names it.
        self._phase_name = name
        started = time.monotonic()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + time.monotonic() - started
