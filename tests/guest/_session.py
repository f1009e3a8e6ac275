"""A real desktop session for the tests of this folder: X server, window manager, session bus, accessibility bus."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeVar

import pytest
from Xlib import XK, X, display, error
from Xlib.ext import xtest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import TracebackType

XLIB_LEAVES_A_FILE_OPEN = pytest.mark.filterwarnings("ignore:unclosed file.*xauthority:ResourceWarning")
"""The python-xlib that pyautogui brings, unlike Debian's, forgets to close the authority file it has read."""

T = TypeVar("T")


def wait_for(what: str, probe: Callable[[], T | None], limit: float = 20.0) -> T:
    """Return the first true value of `probe`; fail naming `what` after `limit` seconds."""
    end = time.monotonic() + limit
    while True:
        found = probe()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come within {limit:.0f} s")
        time.sleep(0.01)


@dataclass
class Session:
    """Starts everything on entering, ends everything it started on leaving."""

    home: Path
    width: int = 1280
    height: int = 800
    env: dict[str, str] = field(default_factory=dict)
    _stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        runtime = self.home / "run"
        runtime.mkdir(parents=True, mode=0o700)
        (runtime / "xauthority").touch()
        self.env = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(runtime),
            "XAUTHORITY": str(runtime / "xauthority"),
            "XDG_CURRENT_DESKTOP": "GNOME",
            "NO_AT_BRIDGE": "0",
            "GTK_MODULES": "gail:atk-bridge",
            "GSETTINGS_BACKEND": "memory",
        }
        try:
            self._start()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _start(self) -> None:
        self.env["DISPLAY"] = self._start_x()
        bus = self.home / "run" / "bus"
        self.env["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={bus}"
        self.run(["dbus-daemon", "--session", f"--address=unix:path={bus}", "--nofork", "--nopidfile"])
        wait_for("the session bus", bus.exists)
        for name in ("IsEnabled", "ScreenReaderEnabled"):
            self.call_bus("org.freedesktop.DBus.Properties.Set", "org.a11y.Status", name, "<true>")
        self.run(["openbox"])
        os.environ["XAUTHORITY"] = self.env["XAUTHORITY"]
        self.x = display.Display(self.env["DISPLAY"])
        self._stack.callback(self.x.close)
        wait_for("a window manager that manages", self._manages, 30)

    def _start_x(self) -> str:
        read, write = os.pipe()
        with os.fdopen(read) as answer:
            screen = f"{self.width}x{self.height}x24"
            command = ["Xvfb", "-displayfd", str(write), "-screen", "0", screen, "-nolisten", "tcp", "-noreset"]
            self.run(command, pass_fds=(write,))
            os.close(write)
            return f":{answer.readline().strip()}"

    def _manages(self) -> bool:
        root = self.x.screen().root
        window = root.create_window(-10, -10, 1, 1, 0, X.CopyFromParent)
        window.map()
        self.x.sync()
        state = self.x.intern_atom("WM_STATE")
        end = time.monotonic() + 0.1
        managed = False
        while not managed and time.monotonic() < end:
            managed = window.get_full_property(state, X.AnyPropertyType) is not None
        window.destroy()
        self.x.sync()
        return managed

    def run(self, command: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
        """Start a program of the session; it is ended with the session."""
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, env=self.env, cwd=self.home, **(quiet | options))
        self._stack.callback(_end, process)
        return process

    def call_bus(self, method: str, *arguments: str) -> None:
        """Call the accessibility launcher on the session bus."""
        target = ["-d", "org.a11y.Bus", "-o", "/org/a11y/bus", "-m", method]
        subprocess.run(
            ["gdbus", "call", "--session", *target, *arguments],
            env=self.env,
            check=True,
            capture_output=True,
            timeout=20,
        )

    # --- windows, as the X server knows them --------------------

    def windows(self) -> dict[str, int]:
        """Return title -> id of the windows that the window manager lists."""
        listed = self.x.screen().root.get_full_property(self.x.intern_atom("_NET_CLIENT_LIST"), X.AnyPropertyType)
        found = {}
        for identity in listed.value if listed else ():
            try:
                title = self.x.create_resource_object("window", identity).get_full_property(
                    self.x.intern_atom("_NET_WM_NAME"), X.AnyPropertyType
                )
            except error.BadWindow:
                continue
            if title:
                text = title.value if isinstance(title.value, str) else title.value.decode()
                found[text] = identity
        return found

    def wait_window(self, part: str) -> int:
        """Return the id of the window whose title contains `part` once it is listed."""
        return wait_for(
            f"a window titled {part!r}", lambda: next((w for t, w in self.windows().items() if part in t), None)
        )

    def focused(self) -> int:
        """Return the id of the window that the window manager calls active, 0 for none."""
        active = self.x.screen().root.get_full_property(self.x.intern_atom("_NET_ACTIVE_WINDOW"), X.AnyPropertyType)
        return int(active.value[0]) if active else 0

    def tell_window_manager(self, window: int, message: str, *data: int) -> None:
        """Send an EWMH or ICCCM client message about `window`."""
        from Xlib.protocol import event

        root = self.x.screen().root
        note = event.ClientMessage(
            window=window, client_type=self.x.intern_atom(message), data=(32, [*data, *[0] * (5 - len(data))])
        )
        root.send_event(note, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self.x.sync()

    # --- input, as a hand would give it --------------------

    def click(self, x: int, y: int) -> None:
        """Move the pointer and press its first button."""
        xtest.fake_input(self.x, X.MotionNotify, x=x, y=y)
        xtest.fake_input(self.x, X.ButtonPress, 1)
        xtest.fake_input(self.x, X.ButtonRelease, 1)
        self.x.sync()

    def press(self, *names: str) -> None:
        """Press keys by keysym name one after the other; `Alt_L+F4` presses both together."""
        for name in names:
            codes = [self.x.keysym_to_keycode(XK.string_to_keysym(part)) for part in name.split("+")]
            for code in codes:
                xtest.fake_input(self.x, X.KeyPress, code)
            for code in reversed(codes):
                xtest.fake_input(self.x, X.KeyRelease, code)
            self.x.sync()


def _end(process: subprocess.Popen[Any]) -> None:
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            pipe.close()
