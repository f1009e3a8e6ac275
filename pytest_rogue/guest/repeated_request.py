"""A request that may come again: while the agent keeps the controls, a person may ask more than once.

Each request is an obstacle of its own, with a window and rows of its own. The next one is laid when a step begins, and
the host was told that the last one is over without having been granted.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from .obstacle import Obstacle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .evidence import EvidenceLog

MOST_TIMES = 10
"""How often a request may come again."""


class RepeatedRequest:
    """The requests of an episode. Its methods may be called from any thread.

    Args:
        evidence: where their facts are recorded.
    """

    def __init__(self, evidence: EvidenceLog) -> None:
        self._evidence = evidence
        self._lock = threading.Lock()
        self._requests = [Obstacle(evidence)]
        self._spec: dict[str, Any] = {}
        self._times = 0
        self._told = False

    def arm(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Lay the first request and return its state; ValueError where the specification is wrong.

        Args:
            spec: of an obstacle, and `repeat` with `times` and `after_actions` where it is to come again.
        """
        once = {name: value for name, value in spec.items() if name != "repeat"}
        times, actions = _checked_repeat(spec.get("repeat"))
        state = self._requests[0].arm(once)
        self._times = times
        self._spec = once | {"trigger": {"kind": "after_actions", "n": actions}}
        return state | {"request": 1}

    def fire(self, step: int) -> dict[str, Any]:
        """Fire the first request now; ValueError where it waits for another trigger than `after_task`."""
        return self._requests[0].fire(step) | {"request": 1}

    def begin_step(self, step: int) -> None:
        """Note that agent step `step` begins; lay the next request where it is time for one."""
        with self._lock:
            if len(self._requests) <= self._times and self._told:
                self._told = False
                following = Obstacle(self._evidence, request=len(self._requests) + 1)
                following.begin_step(step)
                following.arm(self._spec)
                self._requests.append(following)
        self._requests[-1].begin_step(step)

    def action_started(self, step: int) -> None:
        """Note that an action begins."""
        self._requests[-1].action_started(step)

    def step_finished(self, step: int) -> None:
        """Wait, in bounds, until the screen shows what has become of the request."""
        self._requests[-1].step_finished(step)

    def visible_now(self) -> bool:
        """Return True where a request can be seen at this moment."""
        return self._requests[-1].visible_now()

    def state(self) -> dict[str, Any]:
        """Return the state of the last request that has come, or of the first."""
        number = len(self._requests)
        state = self._requests[-1].state()
        if number > 1 and not state["fired"]:
            number, state = number - 1, self._requests[-2].state()
        elif state["answer"] not in (None, "accept"):
            self._told = True
        return state | {"request": number}

    def close(self) -> None:
        """Take it away, without evidence; may be called more than once."""
        for request in self._requests:
            request.close()


def _checked_repeat(repeat: object) -> tuple[int, int]:
    """Return how often it comes again, and after how many actions."""
    if repeat is None:
        return 0, 1
    fields = repeat if isinstance(repeat, dict) else {}
    times, actions = fields.get("times"), fields.get("after_actions")
    if type(times) is int and 1 <= times <= MOST_TIMES and type(actions) is int and actions >= 1:
        return times, actions
    raise ValueError(
        f"repeat of the control request has times, from 1 to {MOST_TIMES}, and after_actions, from 1; not {repeat!r}"
    )
