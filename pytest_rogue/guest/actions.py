"""Runs an agent's pyautogui code, each time in a fresh process forked from a warm one (`warm`)."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from . import warm
from .commands import CommandResult, capture, kill_group, spawn
from .faults import GuestError

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

OUTPUT_LIMIT = 1 << 16
"""Bytes kept of what an action writes to each of stdout and stderr."""
_ANSWER_LIMIT = 15.0
"""Seconds the warm process may take for a fork, on a busy machine."""
_START_LIMIT = 60.0
"""Seconds it may take for its imports, where many desktops start at once; the host has a limit of its own."""

_LAUNCHER = "import importlib, sys; sys.path[:] = {path!r}; importlib.import_module({module!r}).main()"


class ActionRunner:
    """Runs one action at a time. The warm process is replaced when it is gone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._warm = False

    def prepare(self) -> None:
        """Start the warm process; what needs no display is imported while the display is still starting."""
        with self._lock:
            self._start()

    def warm_up(self) -> None:
        """Wait until the next action can be run; the display has to be in the environment.

        Raises:
            GuestError: `actions_broken`.
        """
        with self._lock:
            self._warmed()

    def close(self) -> None:
        """End the warm process, and with it what it runs."""
        if process := self._process:
            process.kill()

    def run(self, source: str, timeout: float) -> CommandResult:
        """Run Python source; `pyautogui` and `time` are imported already.

        Args:
            source: run as given. What is wrong with it is told in `stderr`, with exit code 1.
            timeout: seconds; then it is killed, with its process group.

        Returns:
            What became of it; `exit_code` is None where it has killed the warm process.

        Raises:
            GuestError: `actions_broken`, before anything was run.
        """
        with self._lock:
            channel = self._warmed()
            started = time.monotonic()
            with _two_pipes() as (reading, writing):
                try:
                    warm.send(channel, source, writing)
                    pid, _ = warm.receive(channel)
                except (OSError, EOFError) as error:
                    self._stop()
                    for pipe in reading:
                        os.close(pipe)
                    raise GuestError("actions_broken", f"the process that runs actions is gone: {error!r}") from None
            texts, timed_out = capture(
                reading, ended=channel.fileno(), timeout=timeout, kill=lambda: kill_group(pid), limit=OUTPUT_LIMIT
            )
            return CommandResult(
                stdout=texts[0],
                stderr=texts[1],
                exit_code=self._exit_code(channel),
                timed_out=timed_out,
                seconds=time.monotonic() - started,
            )

    def _exit_code(self, channel: socket.socket) -> int | None:
        channel.settimeout(_ANSWER_LIMIT)
        try:
            code, _ = warm.receive(channel)
        except (OSError, EOFError):
            self._stop()
            self._start()
            return None
        return int(code)

    def _warmed(self) -> socket.socket:
        channel = self._channel
        if self._process is None or channel is None or self._process.poll() is not None:
            self._stop()
            channel = self._start()
        if not self._warm:
            try:
                warm.send(channel, os.environ["DISPLAY"])
                problem, _ = warm.receive(channel)
            except (OSError, EOFError) as error:
                problem = repr(error)
            if problem:
                self._stop()
                raise GuestError("actions_broken", f"the process that runs actions does not start: {problem}")
            channel.settimeout(_ANSWER_LIMIT)
            self._warm = True
        return channel

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        module = f"{__package__}.warm"
        code = _LAUNCHER.format(path=[str(Path(folder).absolute()) for folder in sys.path], module=module)
        with theirs:
            descriptor = theirs.fileno()
            self._process = spawn([sys.executable, "-I", "-c", code, str(descriptor)], pass_fds=(descriptor,))
        ours.settimeout(_START_LIMIT)
        self._channel = ours
        return ours

    def _stop(self) -> None:
        if self._channel:
            self._channel.close()
        if self._process:
            self._process.kill()
            self._process.wait()
        self._process, self._channel, self._warm = None, None, False


@contextlib.contextmanager
def _two_pipes() -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the ends to read from and the ends to write to; the latter are closed afterwards."""
    (out_read, out_write), (err_read, err_write) = os.pipe(), os.pipe()
    try:
        yield (out_read, err_read), (out_write, err_write)
    finally:
        os.close(out_write)
        os.close(err_write)
