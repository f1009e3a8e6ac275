"""One step: execute an action, wait until the screen rests, look. All in one exchange."""

from __future__ import annotations

import base64
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import accessibility
from .faults import BadRequest
from .request import read_field, read_seconds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .actions import ActionRunner
    from .obstacles import ObstacleSlot
    from .power import PowerSwitch
    from .screen import Screen


@dataclass(frozen=True, slots=True)
class StepRequest:
    """What is asked for; checked as a whole before anything is done.

    Attributes:
        number: the agent's turn.
        kind: of the action: `python`, `wait`, or empty for none.
        code: to run, for `python`.
        seconds: to wait, for `wait`; as the agent asked.
        timeout: seconds the action may take.
        quiet: seconds without a change after which the screen counts as at rest.
        limit: seconds to wait for that.
        screenshot: whether to take one.
        a11y: whether to read the accessibility tree.
        a11y_seconds: seconds it may take.
        a11y_nodes: nodes it may have.
    """

    number: int
    kind: str
    code: str
    seconds: float
    timeout: float
    quiet: float
    limit: float
    screenshot: bool
    a11y: bool
    a11y_seconds: float
    a11y_nodes: int

    @classmethod
    def parse(cls, body: Mapping[str, Any]) -> StepRequest:
        """Read the body of `POST step`.

        Raises:
            BadRequest: a field is missing or wrong.
        """
        action = read_field(body, "action", dict, {})
        settle = read_field(body, "settle", dict, {})
        observe = read_field(body, "observe", dict, {})
        kind = read_field(action, "kind", str) if action else ""
        if kind not in ("", "python", "wait"):
            raise BadRequest(f"there is no action of the kind {kind!r}; a desktop knows 'python' and 'wait'")
        return cls(
            number=read_field(body, "step", int),
            kind=kind,
            code=read_field(action, "code", str) if kind == "python" else "",
            seconds=_read_wait(action) if kind == "wait" else 0.0,
            timeout=read_seconds(body, "timeout", 30.0),
            quiet=read_seconds(settle, "quiet", 0.1),
            limit=read_seconds(settle, "limit", 2.0),
            screenshot=read_field(observe, "screenshot", bool, True),
            a11y=read_field(observe, "a11y", bool, False),
            a11y_seconds=read_seconds(observe, "a11y_seconds", 5.0),
            a11y_nodes=read_field(observe, "a11y_nodes", int, 5000),
        )


def _read_wait(action: Mapping[str, Any]) -> float:
    """Return the seconds of a `wait`: any number, since it is an agent that asks."""
    seconds: object = action.get("seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise BadRequest(f"'seconds' must be a number, not {seconds!r}")
    return float(seconds)


def _wait(seconds: float, limit: float, power: PowerSwitch) -> dict[str, Any]:
    """Wait, from 0 to `limit` seconds, and say so where that is not what was asked for."""
    wait = min(seconds, limit) if seconds > 0 else 0.0
    power.wait(wait)
    note = "" if wait == seconds else f"The wait took {wait:g} s; from 0 to {limit:g} s are possible."
    return {"stdout": "", "stderr": "", "exit_code": 0, "timed_out": False, "seconds": wait, "note": note}


class Stepper:
    """Executes steps, one at a time."""

    def __init__(self, *, actions: ActionRunner, screen: Screen, obstacle: ObstacleSlot, power: PowerSwitch) -> None:
        self._actions = actions
        self._screen = screen
        self._obstacle = obstacle
        self._power = power
        self._lock = threading.Lock()

    def step(self, request: StepRequest) -> dict[str, Any]:
        """Return the answer of the protocol's `step`."""
        with self._lock:
            self._obstacle.begin_step(request.number)
            result = None
            if request.kind:
                self._obstacle.action_started(request.number)
                result = self._execute(request)
            settled = self._screen.wait_still(request.quiet, request.limit)
            self._obstacle.step_finished(request.number)
            return {"result": result, "settled": settled, **self._look(request)}

    def _execute(self, request: StepRequest) -> dict[str, Any]:
        if request.kind == "wait":
            return _wait(request.seconds, request.timeout, self._power)
        done = self._actions.run(request.code, request.timeout)
        note = ""
        if done.timed_out:
            note = f"The code was stopped after {request.timeout:g} s, its time limit."
        elif done.exit_code is None:
            note = "The code ended the process that runs actions; it is not known how far it came."
        return {
            "stdout": done.stdout,
            "stderr": done.stderr,
            "exit_code": done.exit_code,
            "timed_out": done.timed_out,
            "seconds": done.seconds,
            "note": note,
        }

    def _look(self, request: StepRequest) -> dict[str, Any]:
        """Observe. The obstacle counts as visible where it stood there before and after the screenshot."""
        stood = self._obstacle.visible_now()
        screenshot = base64.b64encode(self._screen.png()).decode() if request.screenshot else None
        visible = stood and self._obstacle.visible_now()
        tree, problem = None, ""
        if request.a11y:
            found = accessibility.tree(request.a11y_nodes, request.a11y_seconds)
            tree, problem = found.xml or None, found.problem
        return {
            "screenshot": screenshot,
            "a11y": tree,
            "a11y_problem": problem,
            "obstacle": self._obstacle.state() | {"visible": visible},
            "screen": self._screen.size(),
            "clock": time.monotonic(),
        }
