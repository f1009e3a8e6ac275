"""Find the programs that open a file, or have it open, in the kernel's list of processes."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROCESSES = Path("/proc")
_AT_A_LEASE = "__break_lease"
_POLL = 0.002
_LONGEST = 4096
"""Characters kept of a command line."""


@dataclass(frozen=True, slots=True)
class Opener:
    """A program that opened a file.

    Attributes:
        pid: of its process.
        executable: path of what it runs, `/usr/bin/cat` for instance.
        command: its command line.
        folder: path of the folder in which it works, which it may change.
    """

    pid: int
    executable: str
    command: tuple[str, ...]
    folder: str = field(default="/", compare=False)

    @property
    def program(self) -> str:
        """File name of what it runs, `cat` for instance."""
        return Path(self.executable).name

    def paths(self) -> set[str]:
        """Return the paths that its command line may name: each word but the first, as seen from its folder."""
        return {os.path.normpath(os.path.join(self.folder, word)) for word in self.command[1:] if word}  # noqa: PTH118 - a Path keeps `..`


def waiting_at_a_lease(limit: float) -> list[Opener]:
    """Return the processes that wait in `open` for a lease to be given up, once there is one, after at most `limit` s.

    They are there as soon as their thread sleeps, which on a busy machine is a little later than the lease's signal.
    """
    end = time.monotonic() + limit
    while True:
        found = [opener for pid in _pids() if _waits(pid) and (opener := _describe(pid))]
        if found or time.monotonic() > end:
            return found
        time.sleep(_POLL)


def holding(identity: tuple[int, int]) -> Iterator[Opener]:
    """Yield the processes other than this one that have the file of this device and inode open."""
    for pid in _pids():
        if pid != os.getpid() and _has_open(pid, identity) and (opener := _describe(pid)):
            yield opener


def running() -> Iterator[Opener]:
    """Yield the processes that run now and can be looked at."""
    for pid in _pids():
        if opener := _describe(pid):
            yield opener


def _pids() -> list[int]:
    return [int(name) for name in os.listdir(_PROCESSES) if name.isdecimal()]  # noqa: PTH208 - names, not paths


def _waits(pid: int) -> bool:
    with contextlib.suppress(OSError):
        for task in (_PROCESSES / str(pid) / "task").iterdir():
            with contextlib.suppress(OSError):
                if (task / "wchan").read_text() == _AT_A_LEASE:
                    return True
    return False


def _has_open(pid: int, identity: tuple[int, int]) -> bool:
    with contextlib.suppress(OSError):
        for descriptor in (_PROCESSES / str(pid) / "fd").iterdir():
            with contextlib.suppress(OSError):
                status = descriptor.stat()
                if (status.st_dev, status.st_ino) == identity:
                    return True
    return False


def _describe(pid: int) -> Opener | None:
    """Return what runs under this number, None where it has ended."""
    try:
        words = (_PROCESSES / str(pid) / "cmdline").read_bytes().decode(errors="replace")[:_LONGEST]
        executable = str((_PROCESSES / str(pid) / "exe").readlink())
        folder = str((_PROCESSES / str(pid) / "cwd").readlink())
    except OSError:
        return None
    return Opener(pid, executable, tuple(words.rstrip("\0").split("\0")), folder)
