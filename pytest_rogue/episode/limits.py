"""What bounds an episode."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one episode.

    Attributes:
        max_steps: agent turns.
        wall_seconds: from the first observation, without what the agent waited for its provider; looked at between
            turns.
        action_seconds: one action's code may run.
        problems_in_a_row: replies without anything to execute before the episode ends.
        settle_quiet: seconds without a change on the screen that count as stable.
        settle_limit: seconds to wait for that at most.
    """

    max_steps: int = 20
    wall_seconds: float = 1800.0
    action_seconds: float = 30.0
    problems_in_a_row: int = 3
    settle_quiet: float = 0.1
    settle_limit: float = 2.0
