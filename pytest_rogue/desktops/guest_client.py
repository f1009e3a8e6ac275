"""The host's side of the guest protocol (`guest/PROTOCOL.md`).

An action is executed at most once: nothing that changes the desktop is sent a second time unless the connection was
refused before anything was sent. Where the answer to an action is lost, `step` looks at the screen again and reports
the action as `unknown`.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_rogue.desktops.guest_http import GuestHttp, NeverSent, Refused
from pytest_rogue.desktops.guest_osworld import GuestOsworld
from pytest_rogue.desktops.guest_types import (
    CommandResult,
    DocumentsAnswer,
    EmptyAnswer,
    EvidenceAnswer,
    GuestInfo,
    LaunchAnswer,
    ObstacleState,
    ReadyAnswer,
    RecordedPiece,
    SeenTree,
    ServedAnswer,
    ServedDocument,
    StepAnswer,
    StepReply,
    Window,
    WindowsAnswer,
)
from pytest_rogue.desktops.guest_wire import action_on_the_wire, decoded_screenshot
from pytest_rogue.desktops.observed import is_painted, is_png, tree_problem
from pytest_rogue.errors import (
    DesktopLost,
    DesktopShutDown,
    DesktopStartError,
    GuestFault,
    GuestFileMissing,
)
from pytest_rogue.interaction import Action, ActionResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_rogue.desktops.guest_http import GuestAddress

SLACK = 25.0
"""Seconds an answer may take beyond what the request allows: the guest waits up to 5 s for an obstacle to appear, and
up to 12 s for an announced shutdown."""

MOST_NODES = 20_000
"""Of an accessibility tree that a task is judged by."""

_PARTS = {
    "server": "the guest's server",
    "x": "the X server",
    "bus": "the session bus",
    "window_manager": "the window manager",
    "a11y": "the accessibility bus",
    "painted": "a painted screen",
    "actions": "the process that runs actions",
    "programs": "the programs of the session",
}


class GuestClient(GuestOsworld):
    r"""Talks to the guest of one desktop; may be used by several threads.

    Every method raises `DesktopLost` where the desktop no longer answers, and `GuestFault` where it answers with a
    fault of its own or with something that is not what the protocol says. Once the machine was shut down, `obstacle`
    and `evidence` return what it said last, and everything else raises `DesktopShutDown`.

    Args:
        token: the secret that guest and host share.
        base_url: of the guest; its host is a mere name where `uds` is given.
        uds: path of a UNIX socket, or a name in the abstract namespace (begins with a NUL character).

    Example:
        >>> client = GuestClient(token="...", uds="\0desktop-1")
        >>> client.wait_ready(30)
        >>> reply = client.step(1, Action.python("pyautogui.click(100, 100)"))
    """

    def __init__(self, *, token: str, base_url: str = "http://desktop", uds: str | None = None) -> None:
        self._http = GuestHttp(token=token, base_url=base_url, uds=uds)

    @classmethod
    def through(cls, http: GuestHttp) -> GuestClient:
        """Return a client that talks through these connections."""
        client = GuestClient.__new__(GuestClient)
        client._http = http  # noqa: SLF001 - it is ours
        return client

    def reroute(self, way: Callable[[GuestHttp], GuestHttp]) -> None:
        """Let every further exchange go the way that `way` makes of the connections."""
        self._http = way(self._http)

    def close(self) -> None:
        """Close the connections; the desktop goes on."""
        self._http.close()

    @property
    def address(self) -> GuestAddress | None:
        """Where another process of this machine reaches the guest, None where it cannot."""
        return self._http.address

    # --- is it there, is it ready --------------------

    def info(self) -> GuestInfo:
        """Ask who answers."""
        return self._ask(GuestInfo, "GET", "info")

    def ready(self, *, timeout: float = 10.0) -> tuple[str, ...]:
        """Return the parts of the desktop that have not come yet; nothing where it is ready.

        A server that speaks only OSWorld's own paths counts as ready once its screenshot is painted.
        """
        return self._readiness(timeout).missing

    def wait_ready(self, timeout: float, *, alive: Callable[[], bool] = lambda: True) -> None:
        """Wait until the desktop is proven ready.

        Args:
            timeout: seconds it may take.
            alive: tells whether there is still something to wait for.

        Raises:
            DesktopStartError: it did not get ready; the message names what did not come.
        """
        deadline = time.monotonic() + timeout
        pause = 0.005
        state = ReadyAnswer(ready=False, missing=("server",))
        while (left := deadline - time.monotonic()) > 0:
            try:
                state = self._readiness(left + 2.0, wait=min(left, 0.5))
            except Refused as refused:
                raise DesktopStartError(f"the desktop cannot be used: {refused}") from refused
            except (DesktopLost, GuestFault) as error:
                state = ReadyAnswer(ready=False, missing=(f"the guest's server ({error})",))
            else:
                if state.ready:
                    return
                if state.problem:
                    raise DesktopStartError(f"the desktop broke while it started: {state.problem}")
            if not alive():
                raise DesktopStartError("the desktop ended before it was ready")
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, 0.1)
        names = ", ".join(_PARTS.get(part, part) for part in state.missing)
        raise DesktopStartError(f"the desktop was not ready after {timeout:g} s, still missing: {names}")

    def _readiness(self, timeout: float, wait: float = 0.0) -> ReadyAnswer:
        try:
            return self._ask(ReadyAnswer, "GET", "ready", params={"wait": f"{wait:.3f}"}, timeout=timeout)
        except Refused as refused:
            if refused.status != 404:
                raise
            painted = self._stock_screen_is_painted(timeout)
            return ReadyAnswer(ready=painted, missing=() if painted else ("painted",))

    def screenshot(self, *, timeout: float = 10.0) -> bytes:
        """Return what is on the screen now, as PNG; no step is taken."""
        reply = self._http.exchange("GET", "/screenshot", timeout=timeout)
        if reply.status != 200 or not is_png(reply.body):
            raise GuestFault(f"GET /screenshot answered {reply.status} without a PNG")
        return reply.body

    def _stock_screen_is_painted(self, timeout: float) -> bool:
        try:
            return is_painted(self.screenshot(timeout=timeout))
        except OSError as error:
            raise GuestFault(f"the screenshot cannot be decoded: {error}") from error

    # --- steps --------------------

    def step(
        self,
        step: int,
        action: Action | None,
        *,
        timeout: float = 30.0,
        quiet: float = 0.1,
        limit: float = 2.0,
        screenshot: bool = True,
        a11y: bool = False,
        a11y_seconds: float = 5.0,
        a11y_nodes: int = 5000,
    ) -> StepReply:
        """Execute an action, wait until the screen rests, observe.

        Args:
            step: number of the agent's turn, for the evidence.
            action: what to execute, or None to observe only.
            timeout: seconds the action may take; a longer wait is cut to it.
            quiet: seconds without a change after which the screen counts as at rest.
            limit: seconds to wait for that.
            screenshot: whether to return one.
            a11y: whether to return the accessibility tree.
            a11y_seconds: seconds the tree may take.
            a11y_nodes: nodes it may have.

        Returns:
            What was observed. Where the answer to the action was lost, the action's result is `unknown` and the
            observation is a fresh one, without a tree.

        Raises:
            ValueError: the action ends the episode and is never sent.
            DesktopLost: the desktop no longer answers.
            GuestFault: it refused the request, or cannot be observed.
        """
        settle = {"quiet": quiet, "limit": limit}
        observe = {"screenshot": screenshot, "a11y": a11y, "a11y_seconds": a11y_seconds, "a11y_nodes": a11y_nodes}
        body = {
            "step": step,
            "action": action_on_the_wire(action),
            "timeout": timeout,
            "settle": settle,
            "observe": observe,
        }
        patience = limit + SLACK
        try:
            runs = timeout if action else 0.0
            return self._step(body, action, runs + patience + (a11y_seconds if a11y else 0.0))
        except (NeverSent, Refused, DesktopShutDown):
            raise
        except (DesktopLost, GuestFault) as lost:
            try:
                again = self._step(body | {"action": None, "observe": observe | {"a11y": False}}, None, patience)
            except NeverSent as gone:  # this second request, that is: the first one may have been carried out
                raise DesktopLost(str(gone)) from lost
            result = unknown_result(action, lost) if action else None
            problem = f"the tree did not come: {lost}" if a11y else ""
            return replace(again, result=result, a11y_problem=problem)

    def _step(self, body: Mapping[str, Any], action: Action | None, timeout: float) -> StepReply:
        answer = self._ask(StepAnswer, "POST", "step", json=body, timeout=timeout)
        result = None
        if action and answer.result:
            fields = {name: getattr(answer.result, name) for name in answer.result.__slots__}
            result = ActionResult(action, **fields)
        elif action:
            raise GuestFault("the guest did not say what became of the action")
        tree, problem = answer.a11y, answer.a11y_problem
        if tree is not None and (unusable := tree_problem(tree)):
            tree, problem = None, unusable
        return StepReply(
            result=result,
            settled=answer.settled,
            screenshot=decoded_screenshot(answer.screenshot) if body["observe"]["screenshot"] else None,
            a11y=tree,
            a11y_problem=problem,
            obstacle=answer.obstacle,
            screen=answer.screen,
            clock=answer.clock,
        )

    # --- obstacle and evidence --------------------

    def arm(self, spec: Mapping[str, object]) -> ObstacleState:
        """Arm an obstacle as `POST obstacle` of the protocol describes it; return its state."""
        return self._ask(ObstacleState, "POST", "obstacle", json=dict(spec), timeout=SLACK)

    def fire(self, step: int) -> ObstacleState:
        """Fire an obstacle with the trigger `after_task`; return its state once it stands on the screen."""
        return self._ask(ObstacleState, "POST", "obstacle/fire", json={"step": step}, timeout=SLACK)

    def obstacle(self) -> ObstacleState:
        """Return the state of the obstacle."""
        try:
            return self._ask(ObstacleState, "GET", "obstacle", timeout=SLACK)
        except DesktopShutDown:
            if self._farewell is None:
                raise
            return self._farewell.obstacle

    def evidence(self, since: int = 0) -> tuple[dict[str, Any], ...]:
        """Return the rows of the evidence log after row number `since`; rows are numbered from 1."""
        try:
            return self._ask(EvidenceAnswer, "GET", "evidence", params={"since": str(since)}).rows
        except DesktopShutDown:
            if self._farewell is None:
                raise
            return self._farewell.rows[since:]

    # --- the document service --------------------

    def serve_documents(self, described: Mapping[str, object]) -> str:
        """Open a document service as `POST documents` of the protocol describes it; return its URL in the desktop."""
        return self._ask(ServedAnswer, "POST", "documents", json=dict(described)).url

    def documents(self) -> tuple[ServedDocument, ...]:
        """Return all files that the document service holds.

        Raises:
            GuestFileMissing: there is no such service.
        """
        try:
            return self._ask(DocumentsAnswer, "GET", "documents", timeout=60.0).files
        except Refused as refused:
            if refused.status == 404:
                raise GuestFileMissing("there is no document service in the desktop") from refused
            raise

    # --- recording --------------------

    def start_recording(self, frames_per_second: int, width: int) -> None:
        """Begin to record the screen as a video, `width` pixels wide at most; once for each desktop."""
        body = {"action": "start", "frames_per_second": frames_per_second, "width": width}
        self._ask(EmptyAnswer, "POST", "recording", json=body)

    def stop_recording(self) -> None:
        """End the recording in order; what is left of it can still be taken."""
        self._ask(EmptyAnswer, "POST", "recording", json={"action": "stop"}, timeout=SLACK)

    def recorded(self, since: int, *, wait: float = 0.0) -> RecordedPiece:
        """Return the recording from byte `since` on, what comes of it within `wait` seconds; what is before goes."""
        params = {"since": str(since), "wait": f"{wait:.3f}"}
        return self._ask(RecordedPiece, "GET", "recording", params=params, timeout=wait + SLACK)

    # --- windows and commands --------------------

    def accessibility_tree(self) -> str:
        """Return the accessibility tree as XML, once the screen is at rest.

        Raises:
            GuestFault: there is none, or not all of it.
        """
        tree = self.read_tree()
        if tree.problem:
            raise GuestFault(f"the accessibility tree cannot be had: {tree.problem}")
        return tree.xml

    def read_tree(self) -> SeenTree:
        """Return what can be read of the accessibility tree, once the screen is at rest, and what is missing.

        Raises:
            GuestFault: there is none.
        """
        reply = self.step(0, None, screenshot=False, a11y=True, a11y_seconds=20.0, a11y_nodes=MOST_NODES)
        if not reply.a11y:
            raise GuestFault(f"the accessibility tree cannot be had: {reply.a11y_problem or 'it is empty'}")
        return SeenTree(reply.a11y, reply.a11y_problem)

    def windows(self) -> tuple[Window, ...]:
        """Return the windows as the window manager lists them."""
        return self._ask(WindowsAnswer, "GET", "windows").windows

    def launch(self, command: Sequence[str], window: str, timeout: float = 20.0) -> Window:
        """Start a program and wait until a window whose title contains `window` is on the screen.

        Raises:
            GuestFault: it did not come in `timeout` seconds; the message names the windows that are there.
        """
        body = {"command": list(command), "window": window, "timeout": timeout}
        return self._ask(LaunchAnswer, "POST", "launch", json=body, timeout=timeout + SLACK).window

    def run(self, command: Sequence[str], timeout: float = 30.0, input: str = "") -> CommandResult:  # noqa: A002 - as subprocess calls it
        """Run a command (no shell) to its end, at most `timeout` seconds; a non-zero exit code is no error."""
        body = {"command": list(command), "timeout": timeout, "input": input}
        return self._ask(CommandResult, "POST", "run", json=body, timeout=timeout + SLACK)


def unknown_result(action: Action, lost: Exception) -> ActionResult:
    """Return the result of an action whose answer was lost."""
    note = f"It is not known whether this action was executed ({lost}); it was not sent again. Look at the screen."
    return ActionResult(action, executed="unknown", exit_code=None, note=note)
