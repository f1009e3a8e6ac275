"""Agents written for OSWorld, used as they are: `reset(...)` and `predict(instruction, obs)`.

https://github.com/xlang-ai/OSWorld: `predict` returns what the model said and a list of actions, each pyautogui code,
one of the words WAIT, DONE and FAIL, or an object of the `computer_13` action space.
"""

from __future__ import annotations

import inspect
import logging
from typing import TYPE_CHECKING, Any

from pytest_rogue.agents.arguments import MistakeError
from pytest_rogue.agents.frame import Frame
from pytest_rogue.agents.parse import special_word
from pytest_rogue.agents.spaces.computer_13 import action_of
from pytest_rogue.agents.spaces.protocol import View
from pytest_rogue.agents.wording import each_turn
from pytest_rogue.errors import AgentError
from pytest_rogue.interaction import Action, Decision

if TYPE_CHECKING:
    from pytest_rogue.agents.protocol import Briefing, ObservationType
    from pytest_rogue.interaction import Observation


def is_osworld_agent(made: object) -> bool:
    """True for what has `predict` and `reset` and is no agent of this package's kind."""
    return (
        callable(getattr(made, "predict", None)) and callable(getattr(made, "reset", None)) and not hasattr(made, "act")
    )


class OSWorldAgent:
    """Makes an agent of one that was written for OSWorld.

    Args:
        inner: the agent. Where it has an `observation_type`, it is shown that.
        observation_type: what it is shown otherwise.
        prompts: what it is told besides the task, by name; here those that have words for each turn.
    """

    def __init__(self, inner: Any, *, observation_type: ObservationType, prompts: tuple[str, ...] = ()) -> None:
        self.observation_type: ObservationType = getattr(inner, "observation_type", observation_type)
        self._inner = inner
        self._prompts = prompts
        self._instruction = ""

    def reset(self, briefing: Briefing) -> None:
        """Begin a new episode."""
        # Its interface has no other place for words that come from outside.
        self._instruction = "\n\n".join([briefing.instruction, *briefing.told_besides])
        required = [
            parameter
            for parameter in inspect.signature(self._inner.reset).parameters.values()
            if parameter.default is parameter.empty and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        ]
        # The one thing that any of them asks for is a logger.
        self._inner.reset(*[logging.getLogger("desktopenv.agent") for _ in required])

    def act(self, observation: Observation) -> Decision:
        """Ask the agent for its prediction.

        Raises:
            AgentError: it predicts something else than a response and a list of actions.
        """
        instruction = "\n\n".join([self._instruction, *each_turn(self._prompts, observation)])
        seen = {
            "screenshot": observation.screenshot,
            "accessibility_tree": observation.a11y,
            "terminal": None,
            "instruction": instruction,
        }
        predicted = self._inner.predict(instruction, seen)
        if not isinstance(predicted, tuple | list) or len(predicted) < 2 or not isinstance(predicted[1], tuple | list):
            raise AgentError(
                f"{type(self._inner).__name__}.predict has to return a response and a list of actions, "
                f"not {str(predicted)[:100]}"
            )
        reply = predicted[0] if isinstance(predicted[0], str) else str(predicted[0])
        frame = Frame(observation.screen_size, observation.screen_size)
        try:
            actions = tuple(_action(given, View(frame)) for given in predicted[1] if given)
        except MistakeError as error:
            return Decision(reply=reply, problem="unparsable", feedback=f"Nothing of your reply was done: {error}.")
        if not actions:
            return Decision(reply=reply, problem="empty", feedback="Your reply held no action.")
        return Decision(actions, reply=reply)


def _action(given: Any, view: View) -> Action:
    if not isinstance(given, str):
        return action_of(given, view)
    return special_word(given) or Action.python(given)
