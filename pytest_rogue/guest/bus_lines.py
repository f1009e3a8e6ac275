"""A bus, and beside it a line to each program that offers one: half the way for a call, and half the work."""

from __future__ import annotations

import contextlib
import select
from typing import TYPE_CHECKING

from .dbus import BusError, Connection

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .dbus import Call

    Key = tuple[int, int]
    """A line's number and the serial of a call on it, by which the reply is known."""

OPEN_LIMIT = 1.0
"""Seconds that a program may take to accept a line."""


class Lines:
    """Sends each call on the shortest way and collects the replies. Not thread-safe; the owner has the lock.

    Args:
        bus: the connection on which every program can be reached; it is closed with the lines.
    """

    def __init__(self, bus: Connection) -> None:
        self.bus = bus
        self._numbers = {bus: 0}
        self._waiting: dict[int, set[int]] = {0: set()}
        self._last_number = 0
        self._own: dict[str, Connection | None] = {}

    def unknown(self, programs: Collection[str]) -> list[str]:
        """Return those of which it is not known whether they have a line, and forget all others that are not named."""
        for gone in self._own.keys() - set(programs):
            self._drop(gone)
            del self._own[gone]
        return [program for program in programs if program not in self._own]

    def open(self, program: str, address: str) -> None:
        """Open the line to a program, which stays on the bus where that fails.

        Args:
            program: its name on the bus.
            address: D-Bus address of the line; empty where it offers none.
        """
        self._own[program] = None
        with contextlib.suppress(BusError):
            line = self._own[program] = Connection(address, timeout=OPEN_LIMIT, peer=True)
            self._last_number += 1
            self._numbers[line] = self._last_number
            self._waiting[self._last_number] = set()

    def close(self) -> None:
        """Close all lines and the bus; may be called more than once."""
        for line in self._numbers:
            line.close()

    def send(self, calls: Sequence[Call]) -> list[Key]:
        """Take calls, which the next `receive` sends, and return the keys of their replies in the same order."""
        keys = []
        for call in calls:
            line = self._own.get(call.destination) or self.bus
            number = self._numbers[line]
            serial = line.send([call])[0]
            self._waiting[number].add(serial)
            keys.append((number, serial))
        return keys

    def receive(self, seconds: float) -> list[tuple[Key, bytes | None]]:
        """Send what can be sent and return the replies that have come, after at most `seconds` in which any may come.

        Returns:
            Key and marshalled body of each reply; None where it was an error or the line has ended.

        Raises:
            BusError: the connection to the bus was lost.
        """
        lines = [*self._numbers]
        sending = [line for line in lines if line.is_sending]
        readable, writable, _ = select.select(lines, sending, [], max(0.0, seconds))
        found: list[tuple[Key, bytes | None]] = []
        for line in {*readable, *writable}:
            number = self._numbers[line]
            try:
                replies = line.receive(0)
            except BusError:
                if line is self.bus:
                    raise
                found += [((number, serial), None) for serial in self._waiting[number]]
                self._drop(next(program for program, own in self._own.items() if own is line))
                continue
            self._waiting[number] -= {serial for serial, _ in replies}
            found += [((number, serial), body) for serial, body in replies]
        return found

    def finish(self) -> None:
        """End what is still open: nothing more is expected of the calls that were sent.

        Raises:
            BusError: the bus takes no more calls.
        """
        for program, line in [*self._own.items()]:
            if line is not None and self._waiting[self._numbers[line]]:
                self._drop(program)
                del self._own[program]
        self.bus.finish_sending()
        self._waiting[0].clear()

    def _drop(self, program: str) -> None:
        """Close a program's line; calls go over the bus then."""
        line = self._own[program]
        self._own[program] = None
        if line is not None:
            line.close()
            del self._waiting[self._numbers.pop(line)]
