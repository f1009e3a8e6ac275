"""Who a desktop belongs to, written so that any later process of the same machine can tell whether it still lives.

A process id alone is used again; with the time the process began, the boot, and the process namespace it is unique.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

_START_TIME = 19
"""Place of the start time in `/proc/PID/stat`, counted from the state on."""


@dataclass(frozen=True, slots=True)
class Owner:
    """One process.

    Attributes:
        host: name of the machine, or of the container the process runs in.
        boot: the kernel's id of this boot, in hex.
        namespace: the process namespace in which `pid` is meant.
        pid: process id.
        started: when it began, in clock ticks since the boot.
    """

    host: str
    boot: str
    namespace: str
    pid: int
    started: int

    @classmethod
    def this_process(cls) -> Self:
        """Return the process we are."""
        return cls._of(os.getpid())

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return the owner that `str` wrote, None where `text` is nothing of the kind."""
        parts = text.split("|")
        try:
            host, boot, namespace, pid, started = parts
            return cls(host, boot, namespace, int(pid), int(started))
        except ValueError:
            return None

    @classmethod
    def _of(cls, pid: int) -> Self:
        found = _state_and_start(pid)
        return cls(socket.gethostname(), _boot(), _namespace(), pid, found[1] if found else 0)

    def is_dead(self) -> bool:
        """True where the process surely has ended; False where it lives or cannot be seen from here.

        After a reboot every process of before is dead. One of another machine, or of another container of this one,
        is left alone, and so is every one where the system does not tell (it is not Linux).
        """
        if self.host != socket.gethostname() or not _boot():
            return False
        if self.boot != _boot():
            return True
        if self.namespace != _namespace():
            return False
        found = _state_and_start(self.pid)
        return found is None or found[0] in "ZX" or found[1] != self.started

    def __str__(self) -> str:
        return f"{self.host}|{self.boot}|{self.namespace}|{self.pid}|{self.started}"


@cache
def _boot() -> str:
    """Return the id of this boot, empty where it cannot be told: only Linux does."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip().replace("-", "")
    except OSError:
        return ""


def _namespace() -> str:
    return str(Path("/proc/self/ns/pid").readlink()) if _boot() else ""


def _state_and_start(pid: int) -> tuple[str, int] | None:
    """Return the state letter and the start time of a process, None where there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None  # there is none, or this is not Linux
    # The name stands in parentheses and may hold blanks and parentheses itself.
    fields = text.rpartition(")")[2].split()
    return fields[0], int(fields[_START_TIME])
