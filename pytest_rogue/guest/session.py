"""The desktop session: X server, window manager, message buses, and the environment that programs get.

Everything that can is started at the same time. Every part is proven by use before it counts as come: the window
manager by a window that it manages, the screen by its pixels, the buses by an answer.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import accessibility_bus, memory, session_programs, window_manager
from .commands import spawn
from .faults import GuestError

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    from .actions import ActionRunner
    from .screen import Screen

PARTS = ("x", "bus", "window_manager", "a11y", "painted", "actions", "programs")

_ENVIRONMENT = {
    "XDG_SESSION_TYPE": "x11",
    "XDG_CURRENT_DESKTOP": "GNOME",
    "GTK_MODULES": "gail:atk-bridge",
    "NO_AT_BRIDGE": "0",
    "ACCESSIBILITY_ENABLED": "1",
    "GNOME_ACCESSIBILITY": "1",
    "QT_ACCESSIBILITY": "1",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
    "SAL_USE_VCLPLUGIN": "gtk3",
}
"""What applications need to be accessible, and to look as they do on a usual desktop."""


@dataclass(frozen=True, slots=True)
class Started:
    """A program of the session and the file that holds what it writes."""

    name: str
    process: subprocess.Popen[bytes]
    output: int

    def problem(self) -> str:
        """Say that it ended and what it wrote; empty while it runs."""
        code = self.process.poll()
        if code is None:
            return ""
        size = os.fstat(self.output).st_size
        said = os.pread(self.output, 1000, max(0, size - 1000)).decode("utf-8", "replace").strip()
        return f"{self.name} ended with code {code}: {said or 'it said nothing'}"


class Session:
    """One desktop session.

    Args:
        width: of the screen, in pixels.
        height: of the screen, in pixels.
        attach: True to use the display and the bus in the environment, and start nothing but the action process.
        programs: file that lists further programs of the session; it need not be there.
        screen: for the proof that it is painted.
        actions: are warmed up.
    """

    def __init__(
        self, *, width: int, height: int, attach: bool, programs: Path, screen: Screen, actions: ActionRunner
    ) -> None:
        self._size = (width, height)
        self._attach = attach
        self._listed = programs
        self._screen = screen
        self._actions = actions
        self._programs: list[Started] = []
        self._changed = threading.Condition()
        self._missing = set(PARTS)
        self._problems: list[str] = []

    def start(self) -> None:
        """Begin to start everything; returns at once."""
        self._in_background(self._start)

    def stop(self) -> None:
        """End all that was started."""
        for program in reversed(self._programs):
            program.process.kill()
            program.process.wait()

    def missing(self, wait: float = 0.0) -> list[str]:
        """Return the parts that have not come yet, after at most `wait` seconds in which they may come."""
        with self._changed:
            self._changed.wait_for(lambda: not self._missing or self._problems, wait)
            return [part for part in PARTS if part in self._missing]

    def problem(self) -> str:
        """Say what broke, in one sentence for each; empty where all is well."""
        ended = [problem for program in self._programs if (problem := program.problem())]
        return "; ".join([*self._problems, *ended])

    def require(self) -> None:
        """Do nothing where the desktop can be used.

        Raises:
            GuestError: `session_broken` or `not_ready`, naming the parts.
        """
        if problem := self.problem():
            raise GuestError("session_broken", problem)
        if missing := self.missing():
            raise GuestError("not_ready", f"the desktop is not ready yet; still missing: {', '.join(missing)}")

    def _start(self) -> None:
        environment = dict(_ENVIRONMENT)
        if not os.environ.get("XDG_RUNTIME_DIR"):
            environment["XDG_RUNTIME_DIR"] = tempfile.mkdtemp(prefix="runtime-")
        os.environ.update(environment)
        self._actions.prepare()
        if not self._attach:
            os.environ["DISPLAY"] = self._start_x()
        self._screen.grab()
        self._came("x")
        for start in (self._start_window_manager, self._start_buses, self._warm_up, self._start_programs):
            self._in_background(start)

    def _start_x(self) -> str:
        """Start the X server and return its display: it chooses a free number and tells it when it can be used."""
        width, height = self._size
        reading, writing = os.pipe()
        command = [
            *("Xvfb", "-displayfd", str(writing), "-screen", "0", f"{width}x{height}x24", "-dpi", "96"),
            *("-nolisten", "tcp", "-noreset", "-s", "0"),
            *("-extension", "GLX"),  # OpenGL in software costs every GTK program 11 MB and 30 ms, and none needs it
        ]
        program = self._spawn(command, pass_fds=(writing,))
        os.close(writing)
        return f":{_first_line(reading, program)}"

    def _start_window_manager(self) -> None:
        if not self._attach:
            self._spawn(["openbox"])
            window_manager.paint_background()
        window_manager.wait_managing(self._still_well)
        if not self._attach:
            window_manager.use_one_workspace()
        self._came("window_manager")
        self._wait_painted()
        self._came("painted")

    def _wait_painted(self) -> None:
        while not window_manager.is_painted(self._screen.grab()):
            self._still_well()
            time.sleep(0.005)

    def _start_buses(self) -> None:
        if not self._attach:
            reading, writing = os.pipe()
            address = f"unix:path={os.environ['XDG_RUNTIME_DIR']}/bus"
            command = ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={address}"]
            program = self._spawn([*command, f"--print-address={writing}"], pass_fds=(writing,))
            os.close(writing)
            os.environ["DBUS_SESSION_BUS_ADDRESS"] = _first_line(reading, program)
        bus = accessibility_bus.connect_session()
        self._came("bus")
        accessibility_bus.enable(bus)
        self._came("a11y")

    def _start_programs(self) -> None:
        if not self._attach and (programs := session_programs.listed(self._listed)):
            with self._changed:
                self._changed.wait_for(lambda: self._problems or not {"window_manager", "a11y"} & self._missing)
            self._still_well()
            session_programs.start(programs, self._still_well)
        self._came("programs")

    def _warm_up(self) -> None:
        self._actions.warm_up()
        self._came("actions")

    def _spawn(self, command: list[str], **options: object) -> Started:
        output = os.memfd_create(command[0])
        program = Started(command[0], spawn(command, stdout=output, stderr=output, **options), output)
        self._programs.append(program)
        return program

    def _came(self, part: str) -> None:
        with self._changed:
            self._missing.discard(part)
            self._changed.notify_all()
            if not self._missing:
                memory.give_back()

    def _still_well(self) -> None:
        if problem := self.problem():
            raise GuestError("session_broken", problem)

    def _in_background(self, work: Callable[[], object]) -> None:
        def run() -> None:
            try:
                work()
            except GuestError as error:
                self._broke(str(error))
            except Exception as error:  # noqa: BLE001  # whatever it is, the host has to hear of it
                self._broke(f"{work.__name__.strip('_')} failed: {error!r}")

        threading.Thread(target=run, name=work.__name__, daemon=True).start()

    def _broke(self, problem: str) -> None:
        with self._changed:
            self._problems.append(problem)
            self._changed.notify_all()


def _first_line(descriptor: int, program: Started) -> str:
    """Return the first line that a program writes to a descriptor.

    Raises:
        GuestError: `session_broken`, where it ends without.
    """
    with os.fdopen(descriptor) as file:
        line = file.readline().strip()
    if not line:
        program.process.wait()
        raise GuestError("session_broken", program.problem())
    return line
