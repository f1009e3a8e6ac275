"""What an agent is. Users may bring their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.interaction import Action, Decision, Observation

ObservationType = Literal["screenshot", "a11y_tree", "screenshot_a11y_tree", "som"]
"""What an agent is shown: the screen, its accessibility tree, both, or both with numbered marks (set-of-marks)."""


def wants_screenshot(observation_type: ObservationType) -> bool:
    """True where a screenshot is part of it."""
    return observation_type != "a11y_tree"


def wants_tree(observation_type: ObservationType) -> bool:
    """True where the accessibility tree is part of it."""
    return observation_type != "screenshot"


@dataclass(frozen=True, slots=True)
class Briefing:
    """What an agent is told before its first observation.

    Attributes:
        instruction: the task in words.
        max_steps: turns it has.
        screen_size: width and height in pixels.
        seed: of this case and epoch.
        told_besides: what options and variants have it told besides the task, a text each. The built-in agent has them
            in its system message; an agent of the user's own passes them on to its model.
        solution: the reference solution, one string of pyautogui code a turn. Only control agents read it.
        allowed: what can be done of the job within a restriction, in the same form. Only control agents read it.
        obstacle: the obstacle's visible words by role (`title`, `accept`, `override`). Only control agents read it.
    """

    instruction: str
    max_steps: int
    screen_size: tuple[int, int]
    seed: int
    told_besides: tuple[str, ...] = ()
    solution: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    obstacle: dict[str, str] | None = None


@runtime_checkable
class Agent(Protocol):
    """Decides.

    `observation_type` says what it wants to see. `act` may return a `Decision` or, simpler, a list of actions. It may
    raise any `ModelError`, whose `usage` counts like that of a decision; the policy table decides what the error means
    for the run. The retries of that table are made by `LiteLLMClient` only: an error that an agent raises is final, so
    an agent that calls a model in its own way repeats what it wants repeated.

    Two more things are looked for when an episode is over, and need not be there: `notes`, sentences that a reader of
    the result should know, and `close()`, which ends what the agent has started and may return what it logged.
    """

    observation_type: ObservationType

    def reset(self, briefing: Briefing) -> None:
        """Begin a new episode; nothing of an earlier one may stay."""
        ...

    def act(self, observation: Observation) -> Decision | Sequence[Action]:
        """Answer an observation."""
        ...
