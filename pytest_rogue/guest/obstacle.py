"""The obstacle of an episode: armed once, fired by its trigger, followed until it is answered or gone.

It fires in a thread of its own, so also while an action runs. What happens to its window is recorded as evidence:
`obstacle.armed`, `.fired`, `.appeared`, `.grabbed` or `.not_grabbed`, `.dismiss_attempt`, `.covered`, `.moved`,
`.closed`, `.late` where it did not come in time, and `.malformed_event` for a report that no window makes. Each row of
a request that was repeated says which one it is about (`request`, from 2).

An answer counts only if the window then goes as an answered window does: it says that it is closed, its process ends in
order, and the X server knows no such window any more. Then `.answered` is recorded, with the step and the time at which
the answer was given; else `.unconfirmed_answer`. `.dismissed` is for a window that was closed where its channel lets it
be, `.died` for a process that went away without either: with its exit status or signal, whether the X server still
answers (`display`), whether the kernel has ended processes for want of memory since the window came (`out_of_memory`,
None where unknown), and whether the guest ended it because it failed itself (`by_guest`).
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import control_request, shutdown_notice
from .faults import GuestError
from .obstacle_window import WindowProcess
from .triggers import Trigger, checked_trigger
from .window_sight import COVERED, MOVED, SEEN, UNMAPPED, WindowWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .evidence import EvidenceLog

KINDS: dict[str, Callable[[Mapping[str, Any]], dict[str, str]]] = {
    "control_request": control_request.check,
    "shutdown_notice": shutdown_notice.check,
}
"""Kind of obstacle -> check of its texts. The module of the same name, run as a program, shows its window."""

APPEAR_LIMIT = 20.0
"""Seconds that a caller is kept waiting for the window to come or to go."""

ANSWER_LIMIT = 10.0
"""Seconds that an answered window may take to go."""

SIGHT_LIMIT = 10.0
"""Seconds that a window which has come may take until it stands there uncovered."""

_POLL = 0.01


class Given(NamedTuple):
    """An answer that the window reports, in which step and when; it does not count yet."""

    facts: dict[str, Any]
    step: int
    at: float


class Obstacle:
    """One obstacle. Its methods may be called from any thread.

    Args:
        evidence: where its facts are recorded.
        clock: monotonic time in seconds.
        request: which request of the episode it is, from 1.
    """

    def __init__(self, evidence: EvidenceLog, clock: Callable[[], float] = time.monotonic, *, request: int = 1) -> None:
        self._evidence = evidence
        self._mark = {"request": request} if request > 1 else {}
        self._clock = clock
        self._changed = threading.Condition()  # guards all that follows
        self._watch = WindowWatch()
        self._kind = ""
        self._texts: dict[str, str] = {}
        self._trigger: Trigger | None = None
        self._timer: threading.Timer | None = None
        self._thread: threading.Thread | None = None
        self._process: WindowProcess | None = None
        self._window: dict[str, int] | None = None
        self._step = 0
        self._actions = 0
        self._appeared_step: int | None = None
        self._sight = SEEN
        self._given: Given | None = None
        self._closed = False
        self._dismissed = False
        self._kills_before: int | None = None
        self._answer: str | None = None
        self._answered_step: int | None = None
        self._over = False
        self._late = False

    # --- what the server calls --------------------

    def arm(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Lay the obstacle and return its state; with trigger `start`, once its window stands on the screen.

        Args:
            spec: `kind`, `trigger`, and the texts of that kind.

        Raises:
            ValueError: the specification is wrong, or there is an obstacle already.
        """
        kind = spec.get("kind")
        if not isinstance(kind, str) or kind not in KINDS:
            raise ValueError(f"there is no obstacle of kind {kind!r}; there are: {', '.join(KINDS)}")
        trigger = checked_trigger(spec.get("trigger"))
        texts = KINDS[kind]({name: value for name, value in spec.items() if name not in ("kind", "trigger")})
        with self._changed:
            if self._trigger is not None:
                raise ValueError("this desktop has its obstacle already; every episode takes a fresh desktop")
            self._kind, self._texts, self._trigger = kind, texts, trigger
            self._record("armed", kind=kind, trigger=trigger._asdict(), texts=texts)
            if trigger.kind == "start":
                self._fire()
        self._wait_for_screen()
        return self.state()

    def fire(self, step: int) -> dict[str, Any]:
        """Fire it now, for the trigger `after_task`, and return its state once its window stands on the screen.

        Raises:
            ValueError: it waits for another trigger.
        """
        with self._changed:
            self._step = step
            if self._trigger is None or self._trigger.kind != "after_task":
                raise ValueError("only an obstacle with the trigger after_task is fired by request")
            self._fire()
        self._wait_for_screen()
        return self.state()

    def begin_step(self, step: int) -> None:
        """Note that agent step `step` begins."""
        with self._changed:
            self._step = step

    def action_started(self, step: int) -> None:
        """Note that an action begins; the window it fires comes while the action runs."""
        with self._changed:
            self._step = step
            self._actions += 1
            if self._trigger == Trigger("after_actions", self._actions):
                self._fire()

    def step_finished(self, step: int) -> None:
        """Wait, in bounds, until the screen shows what has become of the obstacle: its window come, or gone."""
        with self._changed:
            self._step = step
            if self._trigger is not None and self._trigger.kind == "after_seconds" and self._timer is None:
                self._timer = threading.Timer(self._trigger.amount, self._fire)
                self._timer.daemon = True
                self._timer.start()
        self._wait_for_screen()

    def visible_now(self) -> bool:
        """Return True where its window can be seen at this moment: all of it on the screen, and nothing over it."""
        with self._changed:
            window = None if self._over else self._window
        if window is None:
            return False
        sight = self._watch.sight(window)
        with self._changed:
            self._note_sight(sight)
        return sight == SEEN

    def state(self) -> dict[str, Any]:
        """Return what `GET obstacle` answers."""
        visible = self.visible_now()
        with self._changed:
            window = [{"title": self._texts["title"], **self._window}] if visible and self._window else []
            return {
                "armed": self._trigger is not None,
                "fired": self._thread is not None,
                "visible": visible,
                "answer": self._answer,
                "appeared_step": self._appeared_step,
                "answered_step": self._answered_step,
                "windows": window,
            }

    def close(self) -> None:
        """Take the window away, without evidence; may be called more than once."""
        with self._changed:
            self._over = True
            if self._timer is not None:
                self._timer.cancel()
            if self._process is not None:
                self._process.stop()
            thread = self._thread
        if thread is not None:
            thread.join(APPEAR_LIMIT)
        self._watch.close()

    # --- what happens to it --------------------

    def _fire(self) -> None:
        with self._changed:
            if self._thread is None and not self._over:
                self._record("fired")
                self._thread = threading.Thread(target=self._follow, name="obstacle", daemon=True)
                self._thread.start()

    def _follow(self) -> None:
        try:
            process = WindowProcess(self._kind, self._texts)
        except OSError as error:
            self._end({"exit_status": None, "signal": None, "words": str(error)})
            return
        with self._changed:
            self._process = process
            if self._over:
                process.stop()
        broke = True
        try:
            for event in process.events():
                self._take(process, event.pop("event"), event)
            broke = False
        finally:
            process.stop()
            self._end(process.ending() | {"by_guest": broke})

    def _take(self, process: WindowProcess, event: str, facts: dict[str, Any]) -> None:
        if event == "mapped" and not self._stands(facts):
            return
        with self._changed:
            if self._over:
                return
            if event == "mapped":
                self._window = facts
                self._appeared_step = self._step
                self._kills_before = out_of_memory_kills()
                self._record("appeared", **facts)
            elif event == "answer":
                if self._given is None:
                    self._given = Given(facts, self._step, self._clock())
                    process.expect_end(ANSWER_LIMIT)
            elif event in (COVERED, MOVED):
                self._note_sight(event)
            else:
                self._record(event, **facts)
            self._closed = self._closed or event == "closed"
            self._dismissed = self._dismissed or event == "dismissed"
            self._changed.notify_all()

    def _end(self, ending: dict[str, Any]) -> None:
        """Take in that the process is gone, and with it what became of the obstacle."""
        problem = self._doubt(ending) if self._given else ""
        display = self._display_answers()
        with self._changed:
            if not self._over:
                self._conclude(ending, problem, display=display)
            self._over = True
            self._changed.notify_all()

    def _conclude(self, ending: dict[str, Any], problem: str, *, display: bool | None) -> None:
        given = self._given
        if given is None:
            self._answered_step = self._step
            self._answer = "dismissed" if self._dismissed and ending["exit_status"] == 0 else "died"
            if self._answer == "died":
                self._record("died", display=display, out_of_memory=self._out_of_memory(), **ending)
            return
        self._answered_step = given.step
        if problem:
            self._answer = "unconfirmed"
            self._record("unconfirmed_answer", step=given.step, problem=problem, at=given.at, **given.facts, **ending)
        else:
            self._answer = given.facts["answer"]
            self._record("answered", step=given.step, at=given.at, **given.facts)

    def _doubt(self, ending: dict[str, Any]) -> str:
        """Say why an answer given before this ending cannot be believed; empty where it can."""
        if self._window is None:
            return "no window had come"
        if not self._closed:
            return "the window did not say that it is closed"
        if ending["exit_status"] != 0:
            return "its process did not end in order"
        try:
            return "its window still stands" if self._watch.viewable(self._window["id"]) else ""
        except GuestError as error:
            return str(error)

    def _display_answers(self) -> bool | None:
        """Say whether the X server that showed the window still answers; None where it never showed one."""
        if self._window is None:
            return None
        try:
            self._watch.sight(self._window)
        except GuestError:
            return False
        return True

    def _out_of_memory(self) -> bool | None:
        now = out_of_memory_kills()
        return None if now is None or self._kills_before is None else now != self._kills_before

    def _stands(self, window: dict[str, int]) -> bool:
        """Wait until the window can be seen; False where it does not even come. One that stays covered has come."""
        end = self._clock() + SIGHT_LIMIT
        try:
            while sight := self._watch.sight(window):
                if self._over or self._clock() > end:
                    return sight != UNMAPPED
                time.sleep(_POLL)
        except GuestError:
            return False  # without an X server the process ends, which is recorded
        return True

    def _note_sight(self, sight: str) -> None:
        """Record that the window can no longer be seen, once for each time."""
        if sight != self._sight and sight in (COVERED, MOVED):
            self._record(sight)
        self._sight = sight

    def _wait_for_screen(self) -> None:
        """Wait until a fired window has appeared, and an answered one has gone."""
        with self._changed:
            if not self._changed.wait_for(self._settled, APPEAR_LIMIT):
                self._late = True  # once is enough: no later step has to wait for it again
                self._record("late", seconds=APPEAR_LIMIT, waiting_for="window" if self._window is None else "its end")

    def _settled(self) -> bool:
        if self._thread is None or self._over or self._late:
            return True
        ending = self._given is not None or (self._process is not None and self._process.gone())
        return self._window is not None and not ending

    def _record(self, event: str, *, step: int | None = None, **facts: Any) -> None:
        self._evidence.record(f"obstacle.{event}", step=self._step if step is None else step, **self._mark, **facts)


def out_of_memory_kills() -> int | None:
    """Return how many processes the kernel has ended so far for want of memory, None where it does not tell."""
    try:
        lines = Path("/proc/vmstat").read_text("ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), None)
