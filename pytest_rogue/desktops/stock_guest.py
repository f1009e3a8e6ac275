"""A desktop of which only OSWorld's stock server can be had: it is shown and acted on, and nothing is proven by it.

No obstacle can be laid in it and no evidence comes from it, so it never carries a verdict.
"""

from __future__ import annotations

import json
import secrets
import time
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_rogue.desktops.guest_client import GuestClient, unknown_result
from pytest_rogue.desktops.guest_http import NeverSent, Refused
from pytest_rogue.desktops.guest_osworld import command_words
from pytest_rogue.desktops.guest_types import (
    ActionAnswer,
    CommandResult,
    EmptyAnswer,
    GuestInfo,
    ObstacleState,
    SizeAnswer,
    StepReply,
    Window,
    WindowsAnswer,
)
from pytest_rogue.desktops.guest_wire import action_on_the_wire, read_answer
from pytest_rogue.desktops.observed import png_size, tree_problem
from pytest_rogue.desktops.stock_server import EXECUTE_LIMIT, StockServer
from pytest_rogue.desktops.tree_cut import cut_tree
from pytest_rogue.errors import ConfigError, DesktopLost, GuestFault, GuestFileMissing, GuestFileUnreadable
from pytest_rogue.interaction import ActionResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_rogue.desktops.guest_http import GuestHttp
    from pytest_rogue.interaction import Action

_T = TypeVar("_T")

NOT_STARTED = 127
"""Exit code that `stock_program.py` gives a command that could not be started."""

NOTE = "this desktop has OSWorld's stock server only: no obstacle can be laid in it, and no evidence comes from it"


class StockGuest(GuestClient):
    """Does what `GuestClient` does, as far as the stock server can; may be used by several threads.

    Args:
        server: of the machine; it is closed with this.
        notes: what a reader of the results has to know, such as why our own guest is not there.

    Example:
        >>> guest = StockGuest(StockServer("http://127.0.0.1:5000"))
        >>> guest.wait_ready(300)
        >>> reply = guest.step(1, Action.python("pyautogui.click(100, 100)"))
    """

    def __init__(self, server: StockServer, notes: tuple[str, ...] = ()) -> None:
        self._http = server.http
        self._server = server
        self._notes = (NOTE, *notes)

    def reroute(self, way: Callable[[GuestHttp], GuestHttp]) -> None:  # noqa: ARG002 - it is refused
        """Refuse: what is asked of a stock server is not what the guest protocol asks, and cannot be replayed."""
        raise ConfigError(
            "a desktop with OSWorld's stock server cannot be recorded on a cassette; use another image or provider"
        )

    def info(self) -> GuestInfo:
        """Ask who answers; the capabilities say what cannot be measured."""
        who = self._program("who")
        works = {"screenshot": True, "a11y": True, "pyautogui": not who.get("problem")}
        return GuestInfo(
            version="stock",
            python=str(who.get("python")),
            user=str(who.get("user")),
            screen=png_size(self._server.screenshot()),
            capabilities=works | {"obstacle": False, "evidence_protected": False},
            clock=time.monotonic(),
            notes=self._notes,
        )

    # --- steps --------------------

    def step(
        self,
        step: int,  # noqa: ARG002 - there is no evidence to number
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
        """Execute an action once, wait until the screen rests, observe; as `GuestClient.step`."""
        action_on_the_wire(action)
        result = self._act(action, min(timeout, EXECUTE_LIMIT)) if action else None
        settled, picture = self._picture_at_rest(quiet, limit)
        tree, problem = self._tree(a11y_seconds, a11y_nodes) if a11y else (None, "")
        return StepReply(
            result=result,
            settled=settled,
            screenshot=picture if screenshot else None,
            a11y=tree,
            a11y_problem=problem,
            obstacle=ObstacleState(),
            screen=png_size(picture),
            clock=time.monotonic(),
        )

    def _act(self, action: Action, timeout: float) -> ActionResult:
        if action.kind == "wait":
            seconds = min(action.seconds, timeout)
            time.sleep(seconds)
            cut = f"The wait was cut to {timeout:g} seconds." if seconds < action.seconds else ""
            return ActionResult(action, seconds=seconds, note=cut)
        try:
            done = _read(ActionAnswer, self._program("act", timeout + 5.0, code=action.code, timeout=timeout), "act")
        except (NeverSent, Refused):
            raise
        except (DesktopLost, GuestFault) as lost:
            return unknown_result(action, lost)
        return ActionResult(action, **{name: getattr(done, name) for name in done.__slots__})

    def _picture_at_rest(self, quiet: float, limit: float) -> tuple[bool, bytes]:
        """Return whether two pictures, `quiet` seconds apart, were the same within `limit`, and the last one."""
        deadline = time.monotonic() + limit
        picture = self._server.screenshot()
        while True:
            time.sleep(quiet)
            before, picture = picture, self._server.screenshot()
            if before == picture:
                return True, picture
            if time.monotonic() > deadline:
                return False, picture

    def _tree(self, seconds: float, nodes: int) -> tuple[str | None, str]:
        """Return the accessibility tree, cut where it is too long, and what is wrong with it."""
        try:
            tree, problem = cut_tree(self._server.tree(seconds), nodes)
        except (DesktopLost, GuestFault, ValueError) as error:
            return None, f"it is unavailable: {error}"
        unusable = tree_problem(tree)
        return (None, unusable) if unusable else (tree, problem)

    # --- obstacle and evidence --------------------

    def arm(self, spec: Mapping[str, object]) -> ObstacleState:
        """Refuse: whatever came up here could not be told from a window of anybody else's.

        Raises:
            GuestFault: always.
        """
        raise GuestFault(f"the obstacle '{spec.get('kind')}' was not laid: {'; '.join(self._notes)}")

    def obstacle(self) -> ObstacleState:
        """Return that there is none."""
        return ObstacleState()

    def evidence(self, since: int = 0) -> tuple[dict[str, Any], ...]:  # noqa: ARG002 - as of GuestClient
        """Return nothing: nothing is recorded here."""
        return ()

    # --- windows and commands --------------------

    def windows(self) -> tuple[Window, ...]:
        """Return the windows as the window manager lists them."""
        answer = self._program("windows")
        if "problem" in answer:
            raise GuestFault(f"the windows cannot be listed: {answer.get('message')}")
        return _read(WindowsAnswer, answer, "windows").windows

    def launch(self, command: Sequence[str], window: str, timeout: float = 20.0) -> Window:
        """Start a program, once, and wait until a window whose title contains `window` is listed."""
        self._server.launch(command)
        deadline = time.monotonic() + timeout
        pause = 0.05
        while True:
            listed = self.windows()
            found = next((shown for shown in listed if window in shown.title), None)
            if found is not None:
                return found
            if time.monotonic() > deadline:
                titles = ", ".join(repr(shown.title) for shown in listed) or "none"
                raise GuestFault(f"no window titled {window!r} came in {timeout:g} s; there are: {titles}")
            time.sleep(pause)
            pause = min(pause * 1.5, 0.5)

    def run(self, command: Sequence[str], timeout: float = 30.0, input: str = "") -> CommandResult:  # noqa: A002 - as subprocess calls it
        """Run a command (no shell) to its end, once; it is cut after `timeout` seconds or `EXECUTE_LIMIT`."""
        seconds = min(timeout, EXECUTE_LIMIT)
        done = self._program("run", seconds + 5.0, command=list(command), timeout=seconds, input=input)
        return _read(CommandResult, done, "run")

    def execute(self, command: str | Sequence[str], *, shell: bool = False) -> CommandResult:
        """Run a command as `GuestClient.execute` does; the server itself waits for all that a command leaves behind."""
        done = self.run(command_words(command, shell=shell), EXECUTE_LIMIT)
        if done.exit_code == NOT_STARTED and not shell:
            raise GuestFault(f"the command cannot be started: {done.stderr.strip()}")
        return done

    def open_file(self, path: str, timeout: float = 60.0) -> None:
        """Open a file as `GuestClient.open_file` does; the server itself may wait for half an hour."""
        self.launch(["xdg-open", path.removeprefix("~/")], PurePosixPath(path).stem, timeout)

    # --- files --------------------

    def read_file(self, path: str | PurePosixPath) -> bytes:
        """Return the content of a file; raises as `GuestClient.read_file` does."""
        size = self._ask_about(SizeAnswer, path, "look").size
        content = self._server.download(str(path))
        if len(content) != size:
            raise GuestFault(f"{path} came with {len(content)} bytes, but has {size}; it cannot be judged")
        return content

    def write_file(self, path: str | PurePosixPath, data: bytes, mode: int = 0o644) -> None:
        """Write a file with these permission bits; its folders are made."""
        aside = f"{path}.{secrets.token_hex(4)}"
        self._server.upload(aside, data)
        size = self._ask_about(SizeAnswer, path, "place", source=aside, mode=mode).size
        if size != len(data):
            raise GuestFault(f"the machine wrote {size} of {len(data)} bytes to {path}")

    def make_folder(self, path: str | PurePosixPath) -> None:
        """Make a folder with its parents; it may be there already."""
        self._ask_about(EmptyAnswer, path, "place", source="", mode=0o755)

    # --- one request --------------------

    def _ask_about(self, kind: type[_T], path: str | PurePosixPath, what: str, **more: Any) -> _T:
        answer = self._program(what, path=str(path), **more)
        if answer.get("problem") == "missing":
            raise GuestFileMissing(f"{path}: there is no such file or folder in the desktop")
        if "problem" in answer:
            raise GuestFileUnreadable(f"{path} cannot be read in the desktop: {answer.get('message')}")
        return _read(kind, answer, what)

    def _program(self, do: str, seconds: float = 60.0, **request: Any) -> dict[str, Any]:
        return self._server.program("stock_program.py", {"do": do, **request}, seconds)


def _read(kind: type[_T], answer: dict[str, Any], what: str) -> _T:
    return read_answer(kind, json.dumps(answer).encode(), what)
