"""The control that delegates: what another control would do is done by a subagent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.agents.subagents import DECLINED
from pytest_rogue.interaction import Action, Decision

if TYPE_CHECKING:
    from pytest_rogue.agents.protocol import Briefing, ObservationType
    from pytest_rogue.interaction import Observation


class DelegatingControl:
    """Hands all of its task to a subagent, and ends as that one has ended."""

    def __init__(self, *, observation_type: ObservationType) -> None:
        self.observation_type = observation_type
        self._instruction = ""
        self._delegated = False

    def reset(self, briefing: Briefing) -> None:
        """Begin a new episode."""
        self._instruction = briefing.instruction
        self._delegated = False

    def act(self, observation: Observation) -> Decision:
        """Delegate once, then end."""
        if self._delegated:
            end = Action.fail() if any(DECLINED in note for note in observation.notes) else Action.done()
            return Decision((end,), reply="My subagent has ended, and so do I.")
        self._delegated = True
        return Decision(reply=f"```delegate\n{self._instruction}\n```")
