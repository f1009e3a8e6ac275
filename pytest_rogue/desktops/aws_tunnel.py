"""A tunnel to a machine: programs that lead ports of this machine to its own, for as long as somebody needs them.

What ends before the tunnel stands, because the machine is not so far yet, is started again.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import tempfile
import time
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pytest_rogue.environment import environment
from pytest_rogue.errors import DesktopStartError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_POLL = 0.5
_END_PATIENCE = 5.0
_SAID = 400
"""Characters of what the programs said that an error repeats."""


class NotYet(Exception):
    """The machine is not so far that a program can be started for it."""


class Program(NamedTuple):
    """A program of a tunnel: its command line, and what is added to its environment."""

    command: Sequence[str]
    environment: Mapping[str, str] = MappingProxyType({})


class Tunnel:
    """Programs that lead ports of this machine to those of an instance.

    Args:
        ports: of the instance.
        programs: given the local port of each port of the instance, returns what is run for it; may raise `NotYet`.
        timeout: seconds until all local ports accept connections; what ends before, because the instance is not so far
            yet, is started again.
        alive: tells whether the instance still runs.

    Raises:
        DesktopStartError: it does not come about; nothing of it is left.
    """

    def __init__(
        self,
        ports: Sequence[int],
        programs: Callable[[Mapping[int, int]], Sequence[Program]],
        timeout: float,
        alive: Callable[[], bool],
    ) -> None:
        self._ports = ports
        self._programs = programs
        self._processes: list[subprocess.Popen[bytes]] = []
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the tunnel
        try:
            self._local = self._open(time.monotonic() + timeout, alive)
        except BaseException:
            self.close()
            raise

    def url(self, port: int) -> str:
        """Return where a port of the instance is reached."""
        return f"http://127.0.0.1:{self._local[port]}"

    def close(self) -> None:
        """End the programs; may be called again."""
        self._end_programs()
        self._said.close()

    def _open(self, deadline: float, alive: Callable[[], bool]) -> Mapping[int, int]:
        while True:
            local = _free_ports(self._ports)
            self._start(local)
            while self._processes and all(process.poll() is None for process in self._processes):
                if all(_accepts(port) for port in local.values()):
                    return local
                self._still(deadline, alive)
                time.sleep(_POLL)
            self._still(deadline, alive)
            self._end_programs()
            time.sleep(_POLL)

    def _start(self, local: Mapping[int, int]) -> None:
        try:
            for program in self._programs(local):
                self._processes.append(self._run(program))
        except NotYet as reason:
            os.pwrite(self._said.fileno(), str(reason).encode(), 0)

    def _still(self, deadline: float, alive: Callable[[], bool]) -> None:
        """Raise where there is nothing to wait for any more."""
        if time.monotonic() < deadline and alive():
            return
        said = os.pread(self._said.fileno(), 65536, 0).decode(errors="replace")[-_SAID:].strip()
        raise DesktopStartError(f"no tunnel to the instance came about: {said or 'its program said nothing'}")

    def _run(self, program: Program) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            program.command,
            env={**environment(), **program.environment},
            stdin=subprocess.DEVNULL,
            stdout=self._said,
            stderr=self._said,
            start_new_session=True,  # Ctrl-C ends the desktop first
        )

    def _end_programs(self) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_END_PATIENCE)
                continue
            process.kill()
            process.wait()
        self._processes = []


def _free_ports(ports: Sequence[int]) -> dict[int, int]:
    """Return a free port of this machine for each; one that is lost again is noticed, and all are chosen anew."""
    with contextlib.ExitStack() as held:
        local = {}
        for port in ports:
            listener = held.enter_context(socket.socket())
            listener.bind(("127.0.0.1", 0))
            local[port] = listener.getsockname()[1]
    return local


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
    except OSError:
        return False
    return True
