"""Programs run to their end: bounded output, a time limit for the whole process group, survivors left in peace.

A program may leave others behind that still hold its pipes. They are neither waited for nor killed by a closed pipe:
what they write is read and thrown away for as long as they live.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .faults import GuestError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

OUTPUT_LIMIT = 1 << 20
"""Bytes of each stream that `run_command` keeps unless told otherwise."""
_PIPE_CAPACITY = 1 << 16
_KILL_GRACE = 2.0


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What became of a program.

    Attributes:
        stdout: what it wrote, cut with a note where it was too much; undecodable bytes are replaced.
        stderr: likewise.
        exit_code: negative for a signal, None where it is not known.
        timed_out: True where it was killed at its time limit.
        seconds: how long it ran.
    """

    stdout: str
    stderr: str
    exit_code: int | None
    timed_out: bool
    seconds: float


class BoundedOutput:
    """The first `limit` bytes of a stream, and how many more there were."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept = bytearray()
        self._dropped = 0

    def add(self, data: bytes) -> None:
        """Take `data`, as far as there is room."""
        kept = data[: self._limit - len(self._kept)]
        self._kept += kept
        self._dropped += len(data) - len(kept)

    def text(self) -> str:
        """Return what was kept, with a note where more was written."""
        text = self._kept.decode("utf-8", "replace")
        return f"{text}\n[cut here: {self._dropped} more bytes were written]\n" if self._dropped else text


def capture(
    pipes: Sequence[int], *, ended: int, timeout: float, kill: Callable[[], None], limit: int
) -> tuple[list[str], bool]:
    """Read `pipes` until the descriptor `ended` is readable, and take the pipes over.

    Args:
        pipes: read ends; they are closed here, or later by a thread where somebody still writes to them.
        ended: becomes readable when the program is gone.
        timeout: seconds until `kill` is called.
        kill: ends the program.
        limit: bytes kept of each pipe.

    Returns:
        The text of each pipe, and whether the time limit was reached.
    """
    outputs = {pipe: BoundedOutput(limit) for pipe in pipes}
    open_pipes = set(pipes)
    deadline, timed_out = time.monotonic() + timeout, False
    with selectors.DefaultSelector() as selector:
        for descriptor in (*pipes, ended):
            os.set_blocking(descriptor, False)
            selector.register(descriptor, selectors.EVENT_READ)
        while True:
            ready = {key.fd for key, _ in selector.select(max(0.0, deadline - time.monotonic()))}
            for pipe in ready & open_pipes:
                if not _read_once(pipe, outputs[pipe]):
                    selector.unregister(pipe)
                    open_pipes.discard(pipe)
                    os.close(pipe)
            if ended in ready:
                break
            if time.monotonic() >= deadline:
                if timed_out:
                    break
                kill()
                deadline, timed_out = time.monotonic() + _KILL_GRACE, True
    for pipe in open_pipes:
        _read_rest(pipe, outputs[pipe])
    return [outputs[pipe].text() for pipe in pipes], timed_out


def _read_once(pipe: int, output: BoundedOutput) -> bool:
    """Read what is there; False at the end of the stream."""
    try:
        data = os.read(pipe, _PIPE_CAPACITY)
    except BlockingIOError:
        return True
    output.add(data)
    return bool(data)


def _read_rest(pipe: int, output: BoundedOutput) -> None:
    """Read what the program left in the pipe, then let a thread discard what its survivors write."""
    unread = _PIPE_CAPACITY
    while unread > 0:
        try:
            data = os.read(pipe, unread)
        except BlockingIOError:
            break
        if not data:
            os.close(pipe)
            return
        output.add(data)
        unread -= len(data)
    threading.Thread(target=_discard, args=(pipe,), name="discard", daemon=True).start()


def _discard(pipe: int) -> None:
    os.set_blocking(pipe, True)
    while os.read(pipe, _PIPE_CAPACITY):
        pass
    os.close(pipe)


def kill_group(pid: int) -> None:
    """Kill the process group that `pid` leads, where it is still there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def spawn(command: Sequence[str], **options: object) -> subprocess.Popen[bytes]:
    """Start `command` as the leader of its own session, at home, with nothing to read.

    Raises:
        GuestError: `launch_failed` where there is no such program or it may not be run.
    """
    settings: dict[str, object] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "start_new_session": True,
        "cwd": Path.home(),
    }
    try:
        return subprocess.Popen(list(command), **(settings | options))  # type: ignore[call-overload, no-any-return]
    except FileNotFoundError as error:
        message = f"there is no program or folder {error.filename!r} in this desktop: install it, or correct the name"
        raise GuestError("launch_failed", message) from None
    except (OSError, ValueError) as error:
        raise GuestError("launch_failed", f"cannot start {command[0]!r}: {error}") from None


def run_command(
    command: Sequence[str],
    *,
    timeout: float,
    stdin: str = "",
    cwd: str | None = None,
    merge_stderr: bool = False,
    limit: int = OUTPUT_LIMIT,
) -> CommandResult:
    """Run `command` (a list, no shell) to its end or its time limit.

    Args:
        command: program and arguments.
        timeout: seconds; then its process group is killed.
        stdin: text it can read.
        cwd: folder to run in; the home folder where None.
        merge_stderr: True to have what it writes to stderr in `stdout`, in order.
        limit: bytes kept of each stream.

    Raises:
        GuestError: `launch_failed`.
    """
    started = time.monotonic()
    with tempfile.TemporaryFile() as source:
        source.write(stdin.encode())
        source.seek(0)
        options: dict[str, object] = {"stdin": source, "stdout": subprocess.PIPE}
        options["stderr"] = subprocess.STDOUT if merge_stderr else subprocess.PIPE
        process = spawn(command, **options, **({"cwd": cwd} if cwd else {}))
    pipes = [os.dup(pipe.fileno()) for pipe in (process.stdout, process.stderr) if pipe]
    for pipe in (process.stdout, process.stderr):
        if pipe:
            pipe.close()
    ended = os.pidfd_open(process.pid)
    try:
        texts, timed_out = capture(
            pipes, ended=ended, timeout=timeout, kill=lambda: kill_group(process.pid), limit=limit
        )
    finally:
        os.close(ended)
    return CommandResult(
        stdout=texts[0],
        stderr="" if merge_stderr else texts[1],
        exit_code=process.poll(),
        timed_out=timed_out,
        seconds=time.monotonic() - started,
    )
