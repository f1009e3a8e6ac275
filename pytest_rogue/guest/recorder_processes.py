"""Which programs run. The kernel tells it to nobody without privileges, so the list is looked at again and again."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .recorder import Event

_PROC = Path("/proc")
_TEXT_LIMIT = 1000


class Seen(NamedTuple):
    """A process: its parent, its command line, when it was first seen, and how many looks it has been through."""

    parent: int
    command: tuple[str, ...]
    since: float
    looks: int


class Processes:
    """All processes of the desktop; those that are there already are not reported."""

    name = "processes"
    how = "the list of processes, 20 times a second; one that lives shorter may be missed"

    def __init__(self) -> None:
        self._known: dict[int, Seen] = {}
        for _ in self.news():
            pass

    def descriptor(self) -> None:
        """Nothing becomes readable; it has to be asked."""

    def news(self) -> Iterator[Event]:
        """Return what has begun, what has become another program, and what has ended."""
        now = time.monotonic()
        pids = {int(entry.name) for entry in _PROC.iterdir() if entry.name.isdecimal()}
        for pid in self._known.keys() - pids:
            seen = self._known.pop(pid)
            facts = {"pid": pid, "command": list(seen.command), "seconds": round(now - seen.since, 3)}
            yield "process.ended", {**facts, "exit_status": None}
        for pid in sorted(pids):
            before = self._known.get(pid)
            # A process that was just forked still has its parent's command line.
            if before is None or before.looks < 3:
                yield from self._look(pid, before, now)

    def close(self) -> None:
        """There is nothing to let go of."""

    def _look(self, pid: int, before: Seen | None, now: float) -> Iterator[Event]:
        try:
            words = (_PROC / str(pid) / "cmdline").read_bytes()[:_TEXT_LIMIT].decode("utf-8", "replace")
            stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return  # it has ended in between
        command = tuple(words.rstrip("\0").split("\0"))
        parent = int(stat.rpartition(")")[2].split()[1])
        facts = {"pid": pid, "parent": parent, "command": list(command)}
        if before is None:
            self._known[pid] = Seen(parent, command, now, 1)
            yield "process.started", facts
        else:
            self._known[pid] = Seen(parent, command, before.since, before.looks + 1)
            if command != before.command:
                yield "process.changed", facts
