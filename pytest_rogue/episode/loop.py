"""The loop of an episode: observation to the agent, actions to the desktop, until one of them ends it."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from pytest_rogue.agents.protocol import wants_screenshot, wants_tree
from pytest_rogue.desktops.guest_http import NeverSent, Refused
from pytest_rogue.episode.repetition import Repetition
from pytest_rogue.errors import DesktopLost, DesktopShutDown, GuestFault, ModelError, ModelRefused, policy_for
from pytest_rogue.interaction import ActionResult, Decision, Observation, Usage
from pytest_rogue.outcome import Ending

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.agents.protocol import Agent
    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.desktops.guest_types import StepReply
    from pytest_rogue.episode.limits import Limits
    from pytest_rogue.episode.watch import Watch
    from pytest_rogue.interaction import Action
    from pytest_rogue.records.episode_folder import EpisodeRecorder

SHUT_DOWN_MEANWHILE = "The machine was shut down while this action ran, or before it began."
LOST_MEANWHILE = "The desktop broke while this action ran, or before it began."
NOT_UNDERSTOOD = "Your last reply held no action that could be executed."


class Loop:
    """One agent at one desktop. `run` returns how it ended; the counters stay true when it raises.

    `clock` is what bounds the episode: seconds that only go up.
    `words_from` is the step of the first of the replies in words alone by which the agent ended the episode, None where
    it ended otherwise.
    """

    def __init__(
        self,
        agent: Agent,
        guest: GuestClient,
        watch: Watch,
        recorder: EpisodeRecorder,
        limits: Limits,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._agent = agent
        self._guest = guest
        self._watch = watch
        self._recorder = recorder
        self._limits = limits
        self._clock = clock
        self._problems = 0
        self._all_prose = True
        self._repetition = Repetition()
        self.steps = 0
        self.actions = 0
        self.words_from: int | None = None
        self.agent_seconds = 0.0
        self.usage = Usage()

    def run(self) -> Ending:
        """Let the agent work until it ends the episode, yields, or meets a limit.

        Raises:
            RogueError: the desktop or the model broke in a way that is an error of the infrastructure.
        """
        try:
            return self._run_until_ended()
        except DesktopShutDown:
            self._recorder.event("desktop.shut_down", step=self.steps)
            return Ending.SHUT_DOWN

    def _run_until_ended(self) -> Ending:
        deadline = self._clock() + self._limits.wall_seconds
        observation = self._observation(self._look(None))
        while self.steps < self._limits.max_steps:
            if self._clock() > deadline:
                return Ending.WALL_TIMEOUT
            try:
                decision = self._ask(observation)
            except ModelError as error:
                self.usage += error.usage
                policy = policy_for(error)
                if policy.outcome is not None:
                    raise
                self._recorder.event("model.gave_up", step=self.steps, error=str(error), **_last_words(error))
                return policy.ending
            deadline += decision.waited
            self._watch.received(observation, decision.actor)
            self.steps += 1
            turn = self._carry_out(decision)
            if isinstance(turn, Ending):
                return turn
            observation = turn
        return Ending.MAX_STEPS

    def _ask(self, observation: Observation) -> Decision:
        started = time.monotonic()
        try:
            answer = self._agent.act(observation)
        finally:
            self.agent_seconds += time.monotonic() - started
        decision = answer if isinstance(answer, Decision) else Decision(actions=tuple(answer))
        if not decision.actions and decision.problem is None:
            decision = replace(decision, problem="empty", feedback=NOT_UNDERSTOOD)
        self.usage += decision.usage
        self._recorder.event(
            "decision",
            step=self.steps + 1,
            reply=decision.reply,
            reasoning=decision.reasoning,
            problem=decision.problem,
            finish_reason=decision.finish_reason,
            actions=[asdict(action) for action in decision.actions],
            usage=asdict(decision.usage),
            actor=decision.actor,
            log=decision.log,
            waited=round(decision.waited, 3),
        )
        return decision

    def _carry_out(self, decision: Decision) -> Observation | Ending:
        """Execute one turn; return the next observation, or how the episode ended."""
        if decision.problem is not None:
            self._problems += 1
            self._all_prose &= decision.is_prose
            if self._problems >= self._limits.problems_in_a_row:
                self.words_from = self.steps - self._problems + 1 if self._all_prose else None
                return Ending.NO_ACTION
            return self._observation(self._look(None), notes=(decision.feedback or NOT_UNDERSTOOD,))
        self._problems, self._all_prose = 0, True
        results: list[ActionResult] = []
        reply: StepReply | None = None
        for position, action in enumerate(decision.actions):
            if action.ends_episode and self._watch.comes_now:
                self._watch.saw(self._guest.fire(self.steps))
                return self._observation(self._look(None), results=tuple(results))
            if action.ends_episode:
                return Ending.DONE if action.kind == "done" else Ending.DECLINED
            stood_there = self._watch.visible
            reply = self._look(action)
            results.append(reply.result or ActionResult(action, executed="unknown"))
            if self._watch.accepted:
                return Ending.YIELDED
            if self._watch.visible and not stood_there:
                # What comes up in the middle of a turn was not there when the turn was decided.
                results += [self._withhold(later) for later in decision.actions[position + 1 :]]
                break
        reply = reply or self._look(None)
        return self._observation(reply, results=tuple(results), notes=self._repeated(decision.actions, reply))

    def _repeated(self, actions: tuple[Action, ...], reply: StepReply) -> tuple[str, ...]:
        told = self._repetition.note(actions, reply.screenshot)
        if told:
            self._recorder.event("repetition", step=self.steps, times=self._repetition.times)
        return (told,) if told else ()

    def _look(self, action: Action | None) -> StepReply:
        """Execute `action` (or nothing), wait for a stable screen, and take in what the desktop shows."""
        wanted = self._agent.observation_type
        try:
            reply = self._guest.step(
                self.steps,
                action,
                timeout=self._limits.action_seconds,
                quiet=self._limits.settle_quiet,
                limit=self._limits.settle_limit,
                screenshot=True,
                a11y=wants_tree(wanted),
            )
        except (DesktopLost, GuestFault) as error:
            if action is not None and not isinstance(error, (NeverSent, Refused)):
                self.actions += 1
                note = SHUT_DOWN_MEANWHILE if isinstance(error, DesktopShutDown) else LOST_MEANWHILE
                self._record_action(ActionResult(action, executed="unknown", exit_code=None, note=note))
            raise
        if action is not None:
            self.actions += 1
            self._record_action(reply.result or ActionResult(action, executed="unknown"))
        self._watch.saw(reply.obstacle)
        self._recorder.event(
            "screen",
            step=self.steps,
            screenshot=self._recorder.screenshot(reply.screenshot) if reply.screenshot else None,
            a11y=self._recorder.text("a11y", reply.a11y) if reply.a11y else None,
            a11y_problem=reply.a11y_problem,
            settled=reply.settled,
            obstacle_visible=reply.obstacle.visible,
            guest_clock=reply.clock,
        )
        return reply

    def _withhold(self, action: Action) -> ActionResult:
        result = ActionResult(action, executed="no", exit_code=None, note="not executed: the screen changed before it")
        self._record_action(result)
        return result

    def _record_action(self, result: ActionResult) -> None:
        self._watch.acted(result, self.steps)
        self._recorder.event(
            "action",
            step=self.steps,
            **asdict(result),
        )

    def _observation(
        self, reply: StepReply, *, results: tuple[ActionResult, ...] = (), notes: tuple[str, ...] = ()
    ) -> Observation:
        wanted = self._agent.observation_type
        if reply.a11y_problem and wants_tree(wanted):
            notes = (*notes, f"Accessibility tree: {reply.a11y_problem}.")
        return Observation(
            step=self.steps,
            steps_left=self._limits.max_steps - self.steps,
            screenshot=reply.screenshot if wants_screenshot(wanted) else None,
            a11y=reply.a11y if wants_tree(wanted) else None,
            screen_size=reply.screen,
            results=results,
            notes=notes,
        )


def _last_words(error: ModelError) -> dict[str, str]:
    """Return what is known of a reply that was no decision any more, because it ended the episode."""
    decision = error.decision if isinstance(error, ModelRefused) else None
    names = ("reply", "reasoning", "finish_reason")
    return {name: getattr(decision, name) for name in names} if decision else {}
