"""`/rogue/v1`: what `PROTOCOL.md` says, path by path."""

from __future__ import annotations

import base64
import getpass
import platform
import time
from typing import TYPE_CHECKING, Any

from . import __version__, files
from .commands import run_command
from .faults import BadRequest
from .request import Request, Response, as_json, read_field, read_texts
from .step import StepRequest
from .windows import Program

if TYPE_CHECKING:
    from .desktop import Desktop
    from .server import Routes

ROOT = "/rogue/v1"


class RogueRoutes:
    """Answers for one desktop."""

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop

    def table(self) -> Routes:
        """Return the routes."""
        return {
            ("GET", f"{ROOT}/info"): self.info,
            ("GET", f"{ROOT}/ready"): self.ready,
            ("POST", f"{ROOT}/step"): self.step,
            ("POST", f"{ROOT}/obstacle"): self.arm,
            ("POST", f"{ROOT}/obstacle/fire"): self.fire,
            ("GET", f"{ROOT}/obstacle"): lambda _: as_json(self._desktop.obstacle.state()),
            ("GET", f"{ROOT}/evidence"): self.evidence,
            ("POST", f"{ROOT}/documents"): lambda request: as_json(self._desktop.documents.open(request)),
            ("GET", f"{ROOT}/documents"): lambda _: as_json(self._desktop.documents.state()),
            ("GET", f"{ROOT}/windows"): self.windows,
            ("POST", f"{ROOT}/launch"): self.launch,
            ("POST", f"{ROOT}/run"): self.run,
            ("GET", f"{ROOT}/file"): self.read_file,
            ("PUT", f"{ROOT}/file"): self.write_file,
            ("GET", f"{ROOT}/list"): lambda request: as_json(files.entries(request.parameter("path"))._asdict()),
            ("GET", f"{ROOT}/stat"): lambda request: as_json(files.status(request.parameter("path"))),
            ("POST", f"{ROOT}/folder"): self.make_folder,
            ("POST", f"{ROOT}/recording"): self.record,
            ("GET", f"{ROOT}/recording"): self.recorded,
        }

    def info(self, _: Request) -> Response:
        """Say who answers; also while the desktop is still starting."""
        return as_json(
            {
                "version": __version__,
                "python": platform.python_version(),
                "user": getpass.getuser(),
                "screen": self._desktop.size,
                "capabilities": self._desktop.capabilities(),
                "clock": time.monotonic(),
            }
        )

    def ready(self, request: Request) -> Response:
        """Say what has not come yet. With `wait`, the answer comes when all is there, or after so many seconds."""
        wait = _read_wait(request)
        missing = self._desktop.session.missing(wait)
        problem = self._desktop.session.problem()
        return as_json({"ready": not missing and not problem, "missing": missing, "problem": problem})

    def step(self, request: Request) -> Response:
        """Execute an action and look."""
        parsed = StepRequest.parse(request.fields)
        self._desktop.session.require()
        return as_json(self._desktop.stepper.step(parsed))

    def arm(self, request: Request) -> Response:
        """Arm the obstacle."""
        self._desktop.session.require()
        try:
            state: Any = self._desktop.obstacle.arm(dict(request.fields))
        except ValueError as error:
            raise BadRequest(str(error)) from None
        return as_json(state)

    def fire(self, request: Request) -> Response:
        """Fire the obstacle that waits for the agent to be done."""
        try:
            return as_json(self._desktop.obstacle.fire(request.field("step", int)))
        except ValueError as error:
            raise BadRequest(str(error)) from None

    def evidence(self, request: Request) -> Response:
        """Return the rows after a number."""
        since = request.parameter("since", "0")
        if not since.isdecimal():
            raise BadRequest(f"'since' must be the number of a row, not {since!r}")
        return as_json({"rows": self._desktop.evidence.since(int(since))})

    def windows(self, _: Request) -> Response:
        """List the windows."""
        return as_json({"windows": [window.to_json() for window in self._desktop.windows.list()]})

    def launch(self, request: Request) -> Response:
        """Start a program and wait for its window."""
        command = read_texts(request.fields, "command")
        title, timeout = request.field("window", str), request.seconds("timeout", 20.0)
        self._desktop.session.require()
        program = Program(command)
        window = self._desktop.windows.wait_titled(title, timeout, give_up=program.raise_if_failed)
        return as_json({"window": window.to_json()})

    def run(self, request: Request) -> Response:
        """Run a command to its end."""
        command = read_texts(request.fields, "command")
        timeout, stdin = request.seconds("timeout", 30.0), request.field("input", str, "")
        done = run_command(command, timeout=timeout, stdin=stdin)
        names = ("stdout", "stderr", "exit_code", "timed_out")
        return as_json({name: getattr(done, name) for name in names})

    def read_file(self, request: Request) -> Response:
        """Return the bytes of a file."""
        return Response(files.read(request.parameter("path")), "application/octet-stream")

    def write_file(self, request: Request) -> Response:
        """Write a file."""
        mode = request.parameter("mode", "644")
        if not (mode and set(mode) <= set("01234567") and int(mode, 8) <= 0o7777):
            raise BadRequest(f"'mode' must be octal permission bits such as 644, not {mode!r}")
        files.write(request.parameter("path"), request.body, int(mode, 8))
        return as_json({"size": len(request.body)})

    def make_folder(self, request: Request) -> Response:
        """Make a folder."""
        files.make_folder(request.field("path", str))
        return as_json({})

    def record(self, request: Request) -> Response:
        """Start or stop the recording of the screen."""
        match request.field("action", str):
            case "start":
                self._desktop.session.require()
                fields = request.fields
                rate, width = read_field(fields, "frames_per_second", int, 5), read_field(fields, "width", int, 960)
                self._desktop.recorder.start(rate, width)
            case "stop":
                self._desktop.recorder.stop()
            case action:
                raise BadRequest(f"'action' must be 'start' or 'stop', not {action!r}")
        return as_json({})

    def recorded(self, request: Request) -> Response:
        """Return the next piece of the recording."""
        since = request.parameter("since", "0")
        if not since.isdecimal():
            raise BadRequest("'since' must be a number of bytes")
        data, last, problem = self._desktop.recorder.take(int(since), _read_wait(request))
        return as_json({"data": base64.b64encode(data).decode(), "last": last, "problem": problem})


def _read_wait(request: Request) -> float:
    try:
        return min(float(request.parameter("wait", "0")), 60.0)
    except ValueError:
        raise BadRequest("'wait' must be a number of seconds") from None
