"""A sandbox as a process: started so that it cannot outlive us, ended so that nothing of it is left.

Bubblewrap runs a program under process 1 of a process namespace of its own. The kernel ends a namespace with its
process 1, process 1 with bubblewrap, and bubblewrap with the *thread* that started it. Hence one thread starts them
all, and lives as long as this process.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import threading
import time
import weakref
from concurrent.futures import Future
from functools import cache
from queue import SimpleQueue
from typing import TYPE_CHECKING

from pytest_rogue.desktops.namespaces import host_identity
from pytest_rogue.errors import DesktopStartError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    _Requests = SimpleQueue[tuple[Callable[[], subprocess.Popen[bytes]], Future[subprocess.Popen[bytes]]]]

SPAWN_PATH = "/usr/bin:/bin"
"""Where bubblewrap is looked for; it sees nothing else of our environment."""

_TAIL = 4096
_KILL_PATIENCE = 30_000
"""Milliseconds; the kernel takes long only where memory has run out."""


class Sandbox:
    """One running sandbox.

    Args:
        options: bubblewrap's (see `sandbox_layout`); they are not seen in the sandbox's list of processes.
        command: the program to run inside.
        inherited: descriptors the program gets, under the same numbers.
        timeout: seconds the namespaces may take to be set up.

    Raises:
        DesktopStartError: the sandbox did not come about; nothing is left of it.
    """

    def __init__(
        self, options: Sequence[str], command: Sequence[str], *, inherited: Sequence[int] = (), timeout: float = 10.0
    ) -> None:
        self._lock = threading.Lock()
        self._ended = False
        self._first_process: int | None = None
        self._stderr = os.memfd_create("stderr")
        weakref.finalize(self, os.close, self._stderr)
        written_options = _in_memory("\0".join(options))
        status, status_inside = os.pipe()
        try:
            words = ["bwrap", "--args", str(written_options), "--info-fd", str(status_inside), "--", *command]
            self._process = _spawn(words, (*inherited, written_options, status_inside), self._stderr)
        except OSError as error:
            os.close(status)
            raise DesktopStartError(f"the sandbox cannot be started ({error}): see pytest-rogue doctor") from error
        finally:
            os.close(status_inside)
            os.close(written_options)
        try:
            pid = json.loads(_read_object(status, timeout))["child-pid"]
            with contextlib.suppress(ProcessLookupError):  # it has ended already, which `alive` will tell
                self._first_process = os.pidfd_open(pid)
        except (ValueError, OSError) as error:
            self.end()
            reason = self.stderr_tail() or error
            raise DesktopStartError(f"the sandbox cannot be set up ({reason}): see pytest-rogue doctor") from error
        except BaseException:
            self.end()
            raise
        finally:
            os.close(status)

    def alive(self) -> bool:
        """True while the program runs."""
        return self._process.poll() is None

    def stderr_tail(self) -> str:
        """Return the last lines that the program wrote to its standard error."""
        size = os.fstat(self._stderr).st_size
        return os.pread(self._stderr, _TAIL, max(0, size - _TAIL)).decode(errors="replace").strip()

    def end(self) -> None:
        """Kill everything in the sandbox and wait until it is gone; may be called again."""
        with self._lock:
            if self._ended:
                return
            self._ended = True
            if self._first_process is None or not _kill_and_wait(self._first_process):
                self._process.kill()
            self._process.wait()


def _kill_and_wait(first_process: int) -> bool:
    """Kill process 1 of a namespace and wait until it is gone, which it is only after all others; False for never.

    Bubblewrap itself is left to notice and to end, so that it collects process 1; else that would stay for the host.
    """
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(first_process, signal.SIGKILL)
    gone = select.poll()
    gone.register(first_process, select.POLLIN)
    try:
        return bool(gone.poll(_KILL_PATIENCE))
    finally:
        os.close(first_process)


def _in_memory(text: str) -> int:
    """Return a descriptor from which `text` can be read."""
    descriptor = os.memfd_create("options")
    os.write(descriptor, text.encode())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _spawn(words: Sequence[str], inherited: Sequence[int], stderr: int) -> subprocess.Popen[bytes]:
    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=stderr,
            stderr=stderr,
            pass_fds=inherited,
            cwd="/",
            env={"PATH": SPAWN_PATH},
            **host_identity(),
        )

    answer: Future[subprocess.Popen[bytes]] = Future()
    _starter().put((start, answer))
    return answer.result()


@cache
def _starter() -> _Requests:
    """Return the queue of the thread that starts all sandboxes; it lasts until the very end of the process."""
    requests: _Requests = SimpleQueue()
    threading.Thread(target=_start_one_by_one, args=(requests,), name="pytest-rogue-sandboxes", daemon=True).start()
    return requests


def _start_one_by_one(requests: _Requests) -> None:
    while True:
        start, answer = requests.get()
        try:
            answer.set_result(start())
        except Exception as error:  # noqa: BLE001 - whoever asked gets it
            answer.set_exception(error)


os.register_at_fork(after_in_child=_starter.cache_clear)


def _read_object(descriptor: int, timeout: float) -> bytes:
    """Read up to the end of a JSON object or of the stream, at most `timeout` seconds."""
    deadline = time.monotonic() + timeout
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    text = b""
    while not text.rstrip().endswith(b"}"):
        left = max(0.0, deadline - time.monotonic())
        part = os.read(descriptor, 4096) if waiting.poll(left * 1000) else b""
        if not part:
            break
        text += part
    return text
