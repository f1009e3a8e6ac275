"""An agent that asks a language model and does what it answers."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_rogue.agents.history import Turn, as_messages, shortened
from pytest_rogue.agents.options import AgentOptions
from pytest_rogue.agents.parse import Parsed
from pytest_rogue.agents.screen import Screen
from pytest_rogue.agents.spaces.registry import action_space as space_of
from pytest_rogue.agents.wording import answers, besides, each_turn, system_text, turn_text
from pytest_rogue.errors import ContextWindowExceeded, ModelError, ModelRefused
from pytest_rogue.interaction import Decision, Usage
from pytest_rogue.models.quirks import Quirks

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.agents.protocol import Agent, Briefing, ObservationType
    from pytest_rogue.interaction import Observation
    from pytest_rogue.models.client import ModelClient, Reply, ToolCall

REFUSALS_IN_A_ROW = 3
"""So many withheld replies in a row end the episode."""


class LiteLLMAgent:
    """Shows a model the screen and reads actions from its reply.

    Args:
        client: the model.
        observation_type: what the model is shown.
        history: how many earlier turns the model sees again, None for all.
        action_space: how it says what to do, one of `spaces.registry.ACTION_SPACES`.
        options: whatever else can be set.
        quirks: what is known of the model.
        prompts: what it is told besides the task: names of files in `prompts/besides` and `prompts/each_turn`.
        clock: seconds that only go up; tests put their own here.

    Raises:
        ConfigError: there is no such action space, or not for this model and observation.
    """

    def __init__(
        self,
        client: ModelClient,
        *,
        observation_type: ObservationType,
        history: int | None,
        action_space: str = "pyautogui",
        options: AgentOptions | None = None,
        quirks: Quirks | None = None,
        prompts: tuple[str, ...] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.observation_type = observation_type
        self._client = client
        self._clock = clock
        self._quirks = quirks or Quirks()
        self._options = options or AgentOptions()
        self._space = space_of(action_space, observation_type=observation_type, quirks=self._quirks)
        self._screen = Screen(
            observation_type,
            self._options,
            self._quirks,
            native=self._space.uses_grid_of_native,
        )
        self._prompts = prompts
        self._turns: deque[Turn] = deque(maxlen=history)
        self._forget(instruction="", system="")

    def reset(self, briefing: Briefing) -> None:
        """Begin a new episode."""
        frame = self._screen.frame(briefing.screen_size)
        system = system_text(
            briefing, observation_type=self.observation_type, action_space=self._space.prompt, frame=frame
        )
        self._forget(instruction=briefing.instruction, system="\n\n".join([system, *besides(self._prompts)]))

    def _forget(self, *, instruction: str, system: str) -> None:
        self._instruction = instruction
        self._system = system
        self._turns.clear()
        self._refusals = 0
        self._calls: tuple[ToolCall, ...] = ()
        self._last = Parsed()

    def inherit(self, other: Agent) -> None:
        """Go on from the turns of another agent of this kind; what `reset` has set stays."""
        if isinstance(other, LiteLLMAgent) and other.turns:
            # Calls of the last reply are for the other agent to answer; here they would stay open.
            self._turns.extend([*other.turns[:-1], replace(other.turns[-1], message=None)])

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
        shown = self._screen.show(observation)
        answered = answers(observation, self._calls, self._last, self._space)
        text = turn_text(observation, instruction=self._instruction, elements=shown.elements, answered=bool(answered))
        text = "\n\n".join([*each_turn(self._prompts, observation), text])
        turn = Turn(text, shown.picture, answered)
        started = self._clock()
        reply = self._ask(turn)
        waited = _waited(self._clock() - started, reply)
        # Without the message that holds them, calls cannot be answered as such.
        self._calls = () if reply.withheld or reply.message is None else reply.calls
        self._last = Parsed() if reply.withheld else self._space.parse(reply, shown.view)
        self._turns.append(replace(turn, reply=reply.text, message=reply.message if self._calls else None))
        if reply.withheld:
            return replace(self._refused(reply), waited=waited)
        self._refusals = 0
        return Decision(
            actions=self._last.actions,
            reply=_words_of(reply),
            reasoning=reply.reasoning,
            problem=self._last.problem,
            feedback=self._last.feedback,
            usage=reply.usage,
            finish_reason=reply.finish_reason,
            waited=waited,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the results should know."""
        not_sent = getattr(self._client, "not_sent", None)
        return tuple(f"the model does not take {name}: it was not sent" for name in (not_sent() if not_sent else ()))

    def _ask(self, turn: Turn) -> Reply:
        """Send the conversation; if it is too long for the model, once more with half of the history."""
        try:
            return self._send(turn)
        except ContextWindowExceeded as error:
            if not self._turns:
                raise
            spent = error.usage
        self._turns = deque(shortened(self._turns), maxlen=self._turns.maxlen)
        return self._ask_again(turn, spent + Usage(retries=1))

    def _ask_again(self, turn: Turn, spent: Usage) -> Reply:
        """Send the conversation; `spent`, what the earlier try used, is added to the outcome, good or bad."""
        try:
            reply = self._send(turn)
        except ModelError as error:
            error.usage = spent + error.usage
            raise
        return replace(reply, usage=spent + reply.usage)

    def _send(self, turn: Turn) -> Reply:
        messages = as_messages(
            self._system,
            self._turns,
            turn,
            pictures_in_results=self._quirks.pictures_in_results or self._quirks.native == "openai",
            most_images=self._most_images(),
        )
        return self._client.complete(messages, tools=self._space.tools(self._screen.last_frame))

    def _most_images(self) -> int | None:
        """Return how many pictures a request may have, the present screen included."""
        chosen = None if self._options.image_history is None else self._options.image_history + 1
        bounds = [bound for bound in (chosen, self._quirks.most_images) if bound is not None]
        return min(bounds, default=None)

    def _refused(self, reply: Reply) -> Decision:
        self._refusals += 1
        decision = Decision(
            reply=reply.text,
            reasoning=reply.reasoning,
            problem="refused",
            feedback="Your last reply was withheld by the model's provider. Nothing was done.",
            usage=reply.usage,
            finish_reason=reply.finish_reason,
        )
        if self._refusals >= REFUSALS_IN_A_ROW:
            error = ModelRefused(
                f"the provider withheld {self._refusals} replies in a row (finish reason {reply.finish_reason})"
            )
            error.usage, error.decision = reply.usage, decision
            raise error
        return decision


def _waited(seconds: float, reply: Reply) -> float:
    """Return how many of the seconds of a request its provider did not spend on the reply."""
    return 0.0 if reply.seconds is None else max(0.0, seconds - reply.seconds)


def _words_of(reply: Reply) -> str:
    """Return the words, and the calls below them as the model wrote them."""
    return "\n".join(
        [*([reply.text] if reply.text else []), *(f"{call.name}({call.arguments})" for call in reply.calls)]
    )
