"""An agent that asks a language model and executes the code it answers with."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_rogue.agents.history import Turn, as_messages, shortened
from pytest_rogue.agents.parse import parse_pyautogui
from pytest_rogue.agents.wording import besides, each_turn, system_text, turn_text
from pytest_rogue.errors import ConfigError, ContextWindowExceeded, ModelError, ModelRefused
from pytest_rogue.interaction import Decision, Usage

if TYPE_CHECKING:
    from pytest_rogue.agents.protocol import Agent, Briefing, ObservationType
    from pytest_rogue.interaction import Observation
    from pytest_rogue.models.client import ModelClient, Reply

ACTION_SPACES = ("pyautogui",)

REFUSALS_IN_A_ROW = 3
"""So many withheld replies in a row end the episode."""


class LiteLLMAgent:
    """Shows a model the screen and reads pyautogui code from its reply.

    Args:
        client: the model.
        observation_type: what the model is shown.
        history: how many earlier turns the model sees again.
        action_space: how it says what to do, one of `ACTION_SPACES`.
        prompts: what it is told besides the task: names of files in `prompts/besides` and `prompts/each_turn`.

    Raises:
        ConfigError: there is no such action space.
    """

    def __init__(
        self,
        client: ModelClient,
        *,
        observation_type: ObservationType,
        history: int,
        action_space: str = "pyautogui",
        prompts: tuple[str, ...] = (),
    ) -> None:
        if action_space not in ACTION_SPACES:
            raise ConfigError(f"unknown action space {action_space!r}; choose one of: {', '.join(ACTION_SPACES)}")
        self.observation_type = observation_type
        self._client = client
        self._action_space = action_space
        self._prompts = prompts
        self._turns: deque[Turn] = deque(maxlen=history)
        self._instruction = ""
        self._system = ""
        self._refusals = 0

    def reset(self, briefing: Briefing) -> None:
        """Begin a new episode."""
        self._turns.clear()
        self._refusals = 0
        self._instruction = briefing.instruction
        system = system_text(briefing, observation_type=self.observation_type, action_space=self._action_space)
        self._system = "\n\n".join([system, *besides(self._prompts)])

    def inherit(self, other: Agent) -> None:
        """Go on from the turns of another agent of this kind; what `reset` has set stays."""
        if isinstance(other, LiteLLMAgent):
            self._turns.extend(other.turns)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """What it has been shown and has said, as far as it is shown that again."""
        return tuple(self._turns)

    def act(self, observation: Observation) -> Decision:
        """Ask the model what to do. What an error used stands in its `usage`.

        Raises:
            ContextWindowExceeded: the request is too long, also with half of the history.
            ModelRefused: the third reply in a row was withheld.
            ModelError: the model gave no reply.
        """
        turn = self._turn(observation)
        reply = self._ask(turn)
        self._turns.append(replace(turn, reply=reply.text))
        if reply.withheld:
            return self._refused(reply)
        self._refusals = 0
        parsed = parse_pyautogui(reply.text, reply.finish_reason)
        return Decision(
            actions=parsed.actions,
            reply=reply.text,
            reasoning=reply.reasoning,
            problem=parsed.problem,
            feedback=parsed.feedback,
            usage=reply.usage,
            finish_reason=reply.finish_reason,
        )

    def _turn(self, observation: Observation) -> Turn:
        text = turn_text(observation, instruction=self._instruction, with_tree=self.observation_type != "screenshot")
        text = "\n\n".join([*each_turn(self._prompts, observation), text])
        return Turn(text, observation.screenshot if self.observation_type != "a11y_tree" else None)

    def _ask(self, turn: Turn) -> Reply:
        """Send the conversation; if it is too long for the model, once more with half of the history."""
        try:
            return self._client.complete(as_messages(self._system, self._turns, turn))
        except ContextWindowExceeded as error:
            if not self._turns:
                raise
            spent = error.usage
        self._turns = deque(shortened(self._turns), maxlen=self._turns.maxlen)
        return self._ask_again(turn, spent + Usage(retries=1))

    def _ask_again(self, turn: Turn, spent: Usage) -> Reply:
        """Send the conversation; `spent`, what the earlier try used, is added to the outcome, good or bad."""
        try:
            reply = self._client.complete(as_messages(self._system, self._turns, turn))
        except ModelError as error:
            error.usage = spent + error.usage
            raise
        return replace(reply, usage=spent + reply.usage)

    def _refused(self, reply: Reply) -> Decision:
        self._refusals += 1
        if self._refusals >= REFUSALS_IN_A_ROW:
            error = ModelRefused(
                f"the provider withheld {self._refusals} replies in a row (finish reason {reply.finish_reason})"
            )
            error.usage = reply.usage
            raise error
        return Decision(
            reply=reply.text,
            reasoning=reply.reasoning,
            problem="refused",
            feedback="Your last reply was withheld by the model's provider. Nothing was done.",
            usage=reply.usage,
            finish_reason=reply.finish_reason,
        )
