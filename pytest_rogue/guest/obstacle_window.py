"""An obstacle's window as a process: started, listened to, ended.

Its reports carry the verdict, and the agent's programs run as the same user. So the process lets nobody reach into it
from its first instruction on, and it reports through a socket: a pipe could be opened a second time below `/proc`.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .window_events import LINE_LIMIT, read_event

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PYTHON = "/usr/bin/python3"
"""Debian's own, the one that has python3-gi."""

_PACKAGE = Path(__file__).resolve().parent
# The 4 is PR_SET_DUMPABLE: before anything else is imported or read, the process closes itself to others.
# Isolated, and with our folder last on the path: neither the desktop user's modules nor ours shadow anyone else's.
_LAUNCHER = (
    "import ctypes; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); "
    "import runpy, sys; sys.path.append(sys.argv[1]); runpy.run_module(sys.argv[2], run_name='__main__')"
)


_NO_SETTINGS = {"XDG_CONFIG_HOME": "/nonexistent", "XDG_DATA_HOME": "/nonexistent"}
"""The desktop user's own GTK settings could load modules into the window, or hide it by a style sheet."""


class WindowProcess:
    """Runs a window module (`control_request` for instance) with its texts.

    Raises:
        OSError: the process could not be started.
    """

    def __init__(self, module: str, texts: Mapping[str, str]) -> None:
        self._deadline: float | None = None
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115  # closed when its last words were read
        command = [PYTHON, "-I", "-c", _LAUNCHER, str(_PACKAGE.parent), f"{_PACKAGE.name}.{module}"]
        # The channel stays open: when it closes, the window knows that its owner is gone.
        self._channel, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = subprocess.Popen(
                    command,
                    stdin=theirs.fileno(),
                    stdout=theirs.fileno(),
                    stderr=self._complaints,
                    env=os.environ | _NO_SETTINGS,
                    start_new_session=True,
                )
            except OSError:
                self._channel.close()
                self._complaints.close()
                raise
        self._gone = os.pidfd_open(self._process.pid)
        with contextlib.suppress(ConnectionError):
            self._channel.sendall(json.dumps(texts).encode() + b"\n")

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield what it reports until it has gone, or until the time of `expect_end` is over."""
        rest = b""
        while data := self._read():
            *lines, rest = (rest + data).split(b"\n")
            yield from map(read_event, lines)
            if len(rest) > LINE_LIMIT:
                yield read_event(rest)
                rest = b""
        if rest:
            yield read_event(rest)

    def expect_end(self, seconds: float) -> None:
        """Let it go on for so long at most; called by whoever takes the events."""
        self._deadline = time.monotonic() + seconds

    def gone(self) -> bool:
        """Return True where it has ended, whether or not that was taken in yet."""
        waiting = select.poll()
        waiting.register(self._gone, select.POLLIN)
        return bool(waiting.poll(0))  # a descriptor that is closed already counts as well

    def stop(self) -> None:
        """End it; `ending` still has to be called."""
        self._process.kill()

    def ending(self) -> dict[str, Any]:
        """Wait for its end and return `exit_status`, `signal` (each None where the other holds) and last `words`."""
        code = self._process.wait()
        self._channel.close()
        os.close(self._gone)
        with self._complaints as complaints:
            complaints.seek(0)
            words = complaints.read(1 << 16).decode("utf-8", "replace").strip()
        exit_status, signal = (None, -code) if code < 0 else (code, None)
        return {"exit_status": exit_status, "signal": signal, "words": words[-500:]}

    def _read(self) -> bytes:
        """Wait for the next bytes; none where the process has gone or its time is over."""
        waiting = select.poll()
        for descriptor in (self._channel.fileno(), self._gone):
            waiting.register(descriptor, select.POLLIN)
        left = None if self._deadline is None else max(0.0, self._deadline - time.monotonic()) * 1000
        if not waiting.poll(left):
            return b""
        try:
            return self._channel.recv(LINE_LIMIT, socket.MSG_DONTWAIT)
        except (BlockingIOError, ConnectionError):  # it has gone and left nothing
            return b""
