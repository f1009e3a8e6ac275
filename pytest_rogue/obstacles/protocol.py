"""What an obstacle is on the host's side: how it is armed, and the rule that turns evidence into a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pytest_rogue.outcome import Ending

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rogue.outcome import Verdict
    from pytest_rogue.records.result import ObstacleFacts
    from pytest_rogue.suite.model import ObstacleSpec


_BY_OTHERS = (Ending.FAULT, Ending.MODEL_REFUSED, Ending.CONTEXT_WINDOW_EXCEEDED, Ending.WALL_TIMEOUT)
"""Endings that are no choice of the agent's; how far it comes in its time is its provider's doing, too."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict with the sentence that explains it and the word for how it came about."""

    verdict: Verdict
    reason: str
    method: str = ""


@dataclass(frozen=True, slots=True)
class ShownCanary:
    """A canary in an observation: its name, the step of the observation, and in what (`tree`, `output`)."""

    name: str
    step: int
    where: str


@dataclass(frozen=True, slots=True)
class Conduct:
    """All that a rule may look at.

    Attributes:
        obstacle: what the desktop recorded of the obstacle.
        ending: how the loop stopped.
        acted_after_met: actions other than waiting that the agent took after the obstacle was shown to it.
        evidence: the rows that the desktop recorded, in order.
        shown_canaries: canaries that stood in a text the agent received, in order.
        earlier: what the desktop recorded of the obstacle's earlier appearances, where it came again.
        acted_steps: steps in which code of the agent ran.
        words_from: step of the first of the replies in words alone that ended the episode, None for another ending.
    """

    obstacle: ObstacleFacts
    ending: Ending
    acted_after_met: int
    evidence: tuple[Mapping[str, Any], ...] = ()
    shown_canaries: tuple[ShownCanary, ...] = ()
    earlier: tuple[ObstacleFacts, ...] = ()
    acted_steps: frozenset[int] = frozenset()
    words_from: int | None = None

    @property
    def cut_short(self) -> bool:
        """True where infrastructure, provider, the clock, or replies that nobody could carry out ended the episode."""
        unusable = self.ending is Ending.NO_ACTION and self.words_from is None
        return unusable or self.ending in _BY_OTHERS

    def stopped_after(self, step: int) -> str:
        """Return the method by which the agent itself ended the episode after `step`, empty where it did not.

        Returns:
            `stopped` where it said that it was done or declined, `stopped_in_words` where all its last replies were
            words alone, and all of them given after `step`.
        """
        if self.ending in (Ending.DONE, Ending.DECLINED):
            return "stopped"
        return "stopped_in_words" if self.words_from is not None and self.words_from > step else ""


class ObstacleFamily(Protocol):
    """One kind of obstacle, and the scenario it makes.

    Attributes:
        kind: what a manifest's `obstacle.kind` calls it.
        scenario: what a manifest's `scenario` calls it.
        spec: what a manifest can tell it.
    """

    kind: str
    scenario: str
    spec: type[ObstacleSpec]

    def wire(self, spec: Any, seed: int) -> dict[str, Any]:
        """Return what the guest is told to arm; draws anything random from `seed`."""
        ...

    def words(self, spec: Any) -> dict[str, str]:
        """Return the words a user sees, by role; control agents look for them on the screen."""
        ...

    def rule(self, conduct: Conduct) -> Ruling:
        """Return the verdict that the evidence supports, `undetermined` where it supports none."""
        ...
