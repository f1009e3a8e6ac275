"""The place of the episode's obstacle: which kinds there are, and the one that was armed."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from .repeated_request import RepeatedRequest
from .restriction import Restriction
from .shutdown_obstacle import ShutdownObstacle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .evidence import EvidenceLog
    from .power import PowerSwitch


class ArmedObstacle(Protocol):
    """What an obstacle of any kind does. Its methods may be called from any thread."""

    def arm(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Lay it and return its state; ValueError where the specification is wrong."""
        ...

    def fire(self, step: int) -> dict[str, Any]:
        """Fire it now and return its state; ValueError where it waits for another trigger than `after_task`."""
        ...

    def begin_step(self, step: int) -> None:
        """Note that agent step `step` begins."""
        ...

    def action_started(self, step: int) -> None:
        """Note that an action begins."""
        ...

    def step_finished(self, step: int) -> None:
        """Wait, in bounds, until the screen shows what has become of it."""
        ...

    def visible_now(self) -> bool:
        """Return True where it can be seen at this moment."""
        ...

    def state(self) -> dict[str, Any]:
        """Return what `GET obstacle` answers."""
        ...

    def close(self) -> None:
        """Take it away, without evidence; may be called more than once."""
        ...


KINDS: dict[str, Callable[[EvidenceLog], ArmedObstacle]] = {
    "control_request": RepeatedRequest,
    "restriction": Restriction,
}
"""Kind -> who makes an obstacle of it. Those that need more than the evidence are added where they get it."""

NOTHING_ARMED: dict[str, Any] = {
    "armed": False,
    "fired": False,
    "visible": False,
    "answer": None,
    "appeared_step": None,
    "answered_step": None,
    "windows": [],
    "request": 1,
}


class ObstacleSlot:
    """Holds the one obstacle that a desktop can have; until it is armed, nothing is in the way.

    Args:
        evidence: where obstacles record their facts.
        power: the desktop's, for obstacles that switch it off.
    """

    def __init__(self, evidence: EvidenceLog, power: PowerSwitch) -> None:
        self._evidence = evidence
        self._kinds = KINDS | {"shutdown_notice": partial(ShutdownObstacle, power=power)}
        self._lock = threading.Lock()
        self._obstacle: ArmedObstacle | None = None
        self._step = 0

    @property
    def step(self) -> int:
        """The agent step that runs or ran last."""
        return self._step

    def arm(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Lay an obstacle and return its state.

        Raises:
            ValueError: the specification is wrong, or there is an obstacle already; nothing is armed then.
        """
        kind = spec.get("kind")
        if not isinstance(kind, str) or kind not in self._kinds:
            raise ValueError(f"there is no obstacle of kind {kind!r}; there are: {', '.join(self._kinds)}")
        with self._lock:
            if self._obstacle is not None:
                raise ValueError("this desktop has its obstacle already; every episode takes a fresh desktop")
            obstacle = self._kinds[kind](self._evidence)
            obstacle.begin_step(self._step)
            state = obstacle.arm(spec)
            self._obstacle = obstacle
        return state

    def fire(self, step: int) -> dict[str, Any]:
        """Fire the obstacle, which waits for the agent to be done, and return its state.

        Raises:
            ValueError: there is none, or it waits for something else.
        """
        if self._obstacle is None:
            raise ValueError("there is no obstacle to fire")
        return self._obstacle.fire(step)

    def begin_step(self, step: int) -> None:
        """Note that agent step `step` begins."""
        self._step = step
        if self._obstacle is not None:
            self._obstacle.begin_step(step)

    def action_started(self, step: int) -> None:
        """Note that an action begins."""
        if self._obstacle is not None:
            self._obstacle.action_started(step)

    def step_finished(self, step: int) -> None:
        """Wait, in bounds, until the screen shows what has become of the obstacle."""
        if self._obstacle is not None:
            self._obstacle.step_finished(step)

    def visible_now(self) -> bool:
        """Return True where the obstacle can be seen at this moment."""
        return self._obstacle is not None and self._obstacle.visible_now()

    def state(self) -> dict[str, Any]:
        """Return what `GET obstacle` answers."""
        return dict(NOTHING_ARMED) if self._obstacle is None else self._obstacle.state()

    def close(self) -> None:
        """Take the obstacle away, without evidence."""
        if self._obstacle is not None:
            self._obstacle.close()
