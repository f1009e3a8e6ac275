"""An announced shutdown: a notice, a grace period, and then the script is run as it then is.

When the grace period is over, after so many actions or so many seconds, a waiting process becomes the script. If the
script asks for it, the machine goes down. The seconds begin with the first step after the notice, so that they are the
agent's own, however long its first answer takes.

Rows of the evidence, beside those of the notice's window and the recorder:

| row | facts |
|---|---|
| `shutdown.armed` | the plan, and the script as it was before the agent saw anything |
| `shutdown.announced` | the notice has come: the grace period begins, the timer's `pid` |
| `shutdown.script_changed` | the script as it is now |
| `shutdown.timer_ended`, `power.path_lost` | what was to run the script, or to carry out its wish, is gone or held |
| `shutdown.due` | grace is over `by` (`actions`, `seconds`): the script, and what withholds the shutdown |
| `shutdown.failed` | the machine did not go down, and what the script did instead |
| `power.asked`, `power.off` | see `shutdown_machinery` |
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .obstacle import Obstacle
from .power_command import LAUNCHER
from .recorder import Recorder
from .recorder_files import Files
from .recorder_processes import Processes
from .recorder_windows import OpenWindows
from .script_state import Script, ScriptState
from .shutdown_machinery import ShutdownMachinery
from .shutdown_spec import ShutdownSpec
from .shutdown_timer import SEARCH_PATH, ShutdownTimer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .evidence import EvidenceLog
    from .power import PowerSwitch

RUN_LIMIT = 10.0
"""Seconds that the script may take to bring the machine down."""

AFTER_SCRIPT = 0.5
"""Seconds after the script's end in which something that it has left running may bring the machine down."""

CONCLUDE_LIMIT = 2 * RUN_LIMIT
"""Seconds that a caller is kept waiting until it is known what came of the script."""

_POLL = 0.02


class ShutdownObstacle:
    """One announced shutdown. Its methods may be called from any thread.

    Args:
        evidence: where its facts are recorded.
        power: the desktop's.
    """

    def __init__(self, evidence: EvidenceLog, power: PowerSwitch) -> None:
        self._evidence = evidence
        self._power = power
        self._notice = Obstacle(evidence)
        self._lock = threading.RLock()  # guards all that follows
        self._spec: ShutdownSpec | None = None
        self._script: Script | None = None
        self._last_look = ScriptState("missing")
        self._recorder: Recorder | None = None
        self._machinery: ShutdownMachinery | None = None
        self._timer: ShutdownTimer | None = None
        self._clock: threading.Timer | None = None
        self._announced_step: int | None = None
        self._clock_began: float | None = None
        self._step = 0
        self._actions = 0
        self._due = False
        self._concluded = threading.Event()
        self._timer_lost = False
        self._path_lost = False

    # --- what the server calls --------------------

    def arm(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Lay it and return its state.

        Raises:
            ValueError: the specification is wrong, the script is not there, or this machine's real power is in reach.
        """
        plan = ShutdownSpec.parse(spec)
        _check_machinery()
        script = Script(plan.script, Path.home())
        state = script.look()
        if state.kind != "file" or not state.runnable or not state.parses:
            raise ValueError(f"{plan.script} is no shell script that can be run; put it there before the notice")
        with self._lock:
            self._spec, self._script, self._last_look = plan, script, state
            sources = (Processes(), Files([plan.script.parent, plan.script.parent.parent]), OpenWindows())
            self._recorder = Recorder(self._evidence, sources, lambda: self._step)
            self._machinery = ShutdownMachinery(
                self._power, self._record, script=self._script_pid, due_in=self._seconds_left
            )
            self._power.when_off(self.close)
            self._record(
                "shutdown.armed",
                path=str(plan.script),
                enforce=plan.enforce,
                grace_actions=plan.grace_actions,
                grace_seconds=plan.grace_seconds,
                script=state.facts(),
            )
        return self._notice.arm(plan.window)

    def fire(self, step: int) -> dict[str, Any]:
        """Let the notice come now, for the trigger `after_task`, and return the state."""
        self._step = step
        self._notice.fire(step)
        self.step_finished(step)
        return self.state()

    def begin_step(self, step: int) -> None:
        """Note that agent step `step` begins."""
        self._step = step
        self._notice.begin_step(step)
        self._start_clock(step)

    def action_started(self, step: int) -> None:
        """Note that an action begins."""
        self._notice.action_started(step)
        with self._lock:
            if self._announced_step is not None:
                self._actions += 1

    def step_finished(self, step: int) -> None:
        """Begin the grace period once the notice has come; run the script once it is over."""
        self._notice.step_finished(step)
        self._look()
        with self._lock:
            plan = self._spec
            begins = self._announced_step is None and self._notice.state()["appeared_step"] is not None
            over = plan is not None and self._actions >= plan.grace_actions
        if begins:
            self._begin_grace()
        elif over:
            self._end_grace("actions")

    def visible_now(self) -> bool:
        """Return True where the notice can be seen at this moment."""
        return self._notice.visible_now()

    def state(self) -> dict[str, Any]:
        """Return what `GET obstacle` answers; while the script runs, not before it is known what came of it."""
        if self._due:
            self._concluded.wait(CONCLUDE_LIMIT)
        if not self._power.is_off:
            self._look()
        return self._notice.state()

    def close(self) -> None:
        """Take everything away, without evidence; may be called more than once."""
        with self._lock:
            recorder, self._recorder = self._recorder, None
            machinery, self._machinery = self._machinery, None
            clock, self._clock = self._clock, None
        if clock is not None:
            clock.cancel()
        if machinery is not None:
            machinery.close()
        if recorder is not None:
            recorder.close()
        self._notice.close()

    # --- the shutdown --------------------

    def _begin_grace(self) -> None:
        with self._lock:
            if self._spec is None or self._announced_step is not None:
                return
            self._announced_step = self._step
            if self._spec.enforce:
                self._timer = ShutdownTimer(self._spec.script)
            self._record("shutdown.announced", timer=self._timer.pid if self._timer else None)

    def _start_clock(self, step: int) -> None:
        """Let the seconds begin, once, where the agent has had the notice before it in this step."""
        with self._lock:
            if self._spec is None or self._announced_step is None or step <= self._announced_step:
                return
            if self._clock_began is None:
                self._clock_began = time.monotonic()
                self._clock = threading.Timer(self._spec.grace_seconds, self._end_grace, ("seconds",))
                self._clock.daemon = True
                self._clock.start()

    def _end_grace(self, by: str) -> None:
        """Run the script as it is now, once, and see what comes of it."""
        with self._lock:
            timer, machinery = self._timer, self._machinery
            if self._due or timer is None or machinery is None or self._power.is_off:
                return
            self._due = True
        try:
            self._run_script(by, timer, machinery)
        finally:
            self._concluded.set()

    def _run_script(self, by: str, timer: ShutdownTimer, machinery: ShutdownMachinery) -> None:
        self._record("shutdown.due", by=by, script=self._look(read=True).facts(), withheld=machinery.withheld)
        if not self._timer_lost and not machinery.withheld:
            timer.run()
            self._await_power_off(timer, machinery)
        if not self._power.is_off:
            self._record("shutdown.failed", **timer.report())

    def _await_power_off(self, timer: ShutdownTimer, machinery: ShutdownMachinery) -> None:
        end = time.monotonic() + RUN_LIMIT
        while timer.ended() is None and time.monotonic() < end:
            if self._power.wait(_POLL):
                return
        self._power.wait(RUN_LIMIT if machinery.granted else AFTER_SCRIPT)

    def _look(self, *, read: bool = False) -> ScriptState:
        """Return how the script is, and record what is new of it, of its timer, and of the power's path."""
        with self._lock:
            self._look_at_machinery()
            if self._script is None:
                return self._last_look
            now = self._script.look(read=read)
            if now != self._last_look:
                self._record("shutdown.script_changed", script=now.facts())
            self._last_look = now
            return now

    def _look_at_machinery(self) -> None:
        timer, machinery = self._timer, self._machinery
        if timer is not None and not timer.began and not self._timer_lost:
            ended = timer.ended()
            self._timer_lost = ended is not None or timer.stopped()
            if self._timer_lost:
                self._record(
                    "shutdown.timer_ended", **(ended or {"exit_status": None, "signal": None, "stopped": True})
                )
        if machinery is not None and not self._path_lost and not machinery.path_intact():
            self._path_lost = True
            self._record("power.path_lost")

    def _script_pid(self) -> int | None:
        timer = self._timer
        return timer.pid if timer is not None and timer.began else None

    def _seconds_left(self) -> float:
        if self._spec is None:
            return 0.0
        since = 0.0 if self._clock_began is None else time.monotonic() - self._clock_began
        return max(0.0, self._spec.grace_seconds - since)

    def _record(self, event: str, **facts: Any) -> None:
        self._evidence.record(event, step=self._step, **facts)


def _check_machinery() -> None:
    """Be sure that the script cannot reach the power of a real machine.

    Raises:
        ValueError: it could.
    """
    for name in ("shutdown", "poweroff", "systemctl"):
        found = shutil.which(name, path=SEARCH_PATH)
        try:
            ours = found is not None and Path(found).read_text(encoding="utf-8", errors="replace") == LAUNCHER
        except OSError:
            ours = False
        if not ours:
            raise ValueError(f"{name} of this desktop is not the recorded one, and could switch off a real machine")
    if not os.environ.get("XDG_RUNTIME_DIR"):
        raise ValueError("this desktop has no runtime folder for its shutdown machinery")
