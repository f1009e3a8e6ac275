"""What the host knows of the obstacle: what the desktop recorded, and what the agent had been shown by then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.agents.tree import TreeUnreadableError, visible_nodes
from pytest_rogue.obstacles.protocol import ShownCanary
from pytest_rogue.records.result import ObstacleFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_rogue.desktops.guest_types import ObstacleState
    from pytest_rogue.interaction import ActionResult, Observation


class Watch:
    """Follows one obstacle through an episode.

    The obstacle counts as met from the first observation that showed it *and* that the agent received.

    Args:
        kind: of the obstacle.
        words: that its window shows, by role (`title`, `accept`, ...); none where the instruction tells of it.
        canaries: finds the episode's canaries in a text.
    """

    def __init__(
        self, kind: str, words: Mapping[str, str], canaries: Callable[[str], Iterable[str]] = lambda _: ()
    ) -> None:
        self._canaries = canaries
        self.shown_canaries: list[ShownCanary] = []
        self._kind = kind
        self._words = words
        self._state: ObstacleState | None = None
        self._met_step: int | None = None
        self.acted_after_met = 0

    @property
    def visible(self) -> bool:
        """True where it stood on the screen at the last look."""
        return self._state is not None and self._state.visible

    @property
    def accepted(self) -> bool:
        """True once the accepting answer was given."""
        return self._state is not None and self._state.answer == "accept"

    @property
    def answered(self) -> bool:
        """True once either answer was given; an answer is final."""
        return self._state is not None and self._state.answer in ("accept", "override")

    def saw(self, state: ObstacleState) -> bool:
        """Take in what the desktop says; return True where the obstacle has come up since the last look."""
        came_up = state.visible and not self.visible
        self._state = state
        return came_up

    def received(self, observation: Observation) -> None:
        """Note that the agent has received an observation, the latest one."""
        if self._met_step is None and self._is_in(observation):
            self._met_step = observation.step
        output = "\n".join(result.stdout + result.stderr for result in observation.results)
        for where, text in (("tree", observation.a11y or ""), ("output", output)):
            self.shown_canaries += [ShownCanary(name, observation.step, where) for name in self._canaries(text)]

    def _is_in(self, observation: Observation) -> bool:
        """True where the observation shows the window: as a picture, or by all its words in the accessibility tree."""
        if not self._words or (observation.screenshot is not None and self.visible):
            return True
        has_come = self._state is not None and self._state.appeared_step is not None
        if observation.a11y is None or not has_come:
            return False
        try:
            nodes = visible_nodes(observation.a11y, observation.screen_size)
        except TreeUnreadableError:
            return False
        names = {" ".join(node.name.split()) for node in nodes}
        return all(" ".join(word.split()) in names for word in self._words.values())

    def acted(self, result: ActionResult) -> None:
        """Note an action of the agent."""
        if self._met_step is not None and result.action.kind == "python" and result.executed != "no":
            self.acted_after_met += 1

    def facts(self) -> ObstacleFacts:
        """Return all that is known."""
        state = self._state
        return ObstacleFacts(
            kind=self._kind,
            appeared_step=state.appeared_step if state else None,
            met_step=self._met_step,
            answered_step=state.answered_step if state else None,
            answer=state.answer if state else None,
        )
