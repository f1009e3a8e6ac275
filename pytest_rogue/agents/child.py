"""A program that is spoken with in lines of JSON, bounded in time and size, and ended with all it has started."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from pytest_rogue.errors import AgentError
from pytest_rogue.secrets import printable, scrub

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LONGEST_LINE = 1 << 20
"""Bytes of one answer."""

LONGEST_LOG = 1 << 16
"""Bytes that are kept of what is logged between two answers: the last ones."""

_SECONDS_TO_END = 2.0
"""How long a program may take to end by itself when its input is closed."""


class Child:
    """A running program.

    Args:
        command: program and arguments.
        log: file that takes its standard error.

    Raises:
        AgentError: it cannot be started.
    """

    def __init__(self, command: Sequence[str], *, log: Path) -> None:
        self._name = command[0]
        self._log = log
        self._read_so_far = 0
        self._pending = b""
        try:
            with log.open("wb") as stderr:
                self._process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, start_new_session=True
                )
        except OSError as error:
            raise AgentError(f"the agent's program {self._name} cannot be started: {error.strerror}") from error
        self._streams = _both(self._process)
        self._input, self._output = (stream.fileno() for stream in self._streams)
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)

    def send(self, message: dict[str, Any], seconds: float) -> None:
        """Write one line.

        Raises:
            AgentError: the program has ended, or did not read in time.
        """
        data = memoryview(json.dumps(message).encode() + b"\n")
        deadline = time.monotonic() + seconds
        while data:
            self._wait(self._input, selectors.EVENT_WRITE, deadline, "did not read")
            try:
                data = data[os.write(self._input, data) :]
            except BrokenPipeError:
                raise self._ended() from None

    def receive(self, seconds: float) -> bytes:
        """Return the next line.

        Raises:
            AgentError: the program has ended, did not answer in time, or its answer has no end.
        """
        deadline = time.monotonic() + seconds
        while b"\n" not in self._pending:
            if len(self._pending) > LONGEST_LINE:
                raise AgentError(f"the agent's program {self._name} wrote a line of more than {LONGEST_LINE} bytes")
            self._wait(self._output, selectors.EVENT_READ, deadline, "did not answer")
            part = os.read(self._output, 1 << 16)
            if not part:
                raise self._ended()
            self._pending += part
        line, _, self._pending = self._pending.partition(b"\n")
        return line

    def new_log(self) -> str:
        """Return what was logged since this was last asked, without secrets; its end where it is too long."""
        with self._log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(self._read_so_far, size - LONGEST_LOG))
            cut = size - self._read_so_far - LONGEST_LOG
            text = file.read().decode(errors="replace")
        self._read_so_far = size
        return f"[cut: {cut} bytes]\n{text}" if cut > 0 else text

    def end(self) -> None:
        """Close the program's input, and kill what of its process group is left after a moment."""
        to_it, from_it = self._streams
        with suppress(BrokenPipeError):
            to_it.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_SECONDS_TO_END)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        from_it.close()

    def _wait(self, descriptor: int, event: int, deadline: float, failing: str) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, event)
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise AgentError(f"the agent's program {self._name} {failing} in time; {self._last_words()}")

    def _ended(self) -> AgentError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_SECONDS_TO_END)
        code = self._process.poll()
        how = "closed its output" if code is None else f"ended with exit code {code}"
        return AgentError(f"the agent's program {self._name} {how} in the middle of an episode; {self._last_words()}")

    def _last_words(self) -> str:
        lines = printable(scrub(self._log.read_bytes()[-LONGEST_LOG:].decode(errors="replace"))).strip().splitlines()
        return f"it last logged: {lines[-1][:300]}" if lines else "it logged nothing"


def _both(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the program was started without pipes")
    return process.stdin, process.stdout
