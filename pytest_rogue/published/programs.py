"""Programs in a desktop that are started and left alone, and those that are to end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_rogue.errors import GuestFileMissing, InfraError
from pytest_rogue.published.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.desktops.guest_client import GuestClient

END_SECONDS = 20.0

_START = """
folder=$(mktemp -d) || exit
("$@" </dev/null >/dev/null 2>"$folder/said"; echo $? >"$folder/code") >/dev/null 2>&1 &
echo "$folder"
"""
"""Starts its arguments, and prints a folder in which it keeps what they say and their exit code."""

_LISTENS = "0A"
"""State of a listening socket in `/proc/net/tcp`."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program that was started.

    Attributes:
        guest: of the desktop it runs in.
        name: its own.
        folder: in the desktop, with what became of it.
    """

    guest: GuestClient
    name: str
    folder: str

    @classmethod
    def start(cls, guest: GuestClient, words: Sequence[str]) -> Program:
        """Start a program, once, with nothing to read and nobody who waits for it.

        Raises:
            InfraError: there is no program of that name, or nothing can be started.
        """
        if not is_there(guest, words[0]):
            raise InfraError(f"there is no program {words[0]!r} in this desktop; use a desktop that has it")
        done = guest.run(["/bin/sh", "-c", _START, "sh", *words])
        if done.exit_code != 0 or not done.stdout.startswith("/"):
            raise InfraError(f"{words[0]} could not be started: {done.stderr.strip() or 'nothing was said'}")
        return cls(guest, words[0], done.stdout.strip())

    def ended(self) -> bool | None:
        """Return True once it has ended well, None while it runs.

        Raises:
            InfraError: it has ended with a fault; the message says with what words.
        """
        try:
            code = self.guest.read_file(f"{self.folder}/code").decode().strip()
        except GuestFileMissing:
            return None
        if code in ("", "0"):
            return code == "0" or None
        said = self.guest.read_file(f"{self.folder}/said").decode(errors="replace")[-500:].strip() or "nothing"
        self.forget()
        raise InfraError(f"{self.name} ended with the code {code} before it had started; it said: {said}")

    def forget(self) -> None:
        """Leave nothing of the start in the desktop."""
        self.guest.run(["rm", "-rf", self.folder])


def is_there(guest: GuestClient, program: str) -> bool:
    """Tell whether the desktop has a program of that name."""
    return guest.run(["/bin/sh", "-c", 'command -v -- "$1"', "sh", program]).exit_code == 0


def listens(guest: GuestClient, port: int) -> bool | None:
    """Return True where something in the desktop listens on a TCP port, else None."""
    table = guest.run(["/bin/sh", "-c", "cat /proc/net/tcp /proc/net/tcp6 2>/dev/null"]).stdout
    rows = (line.split() for line in table.splitlines())
    return any(len(row) > 3 and row[3] == _LISTENS and row[1].endswith(f":{port:04X}") for row in rows) or None


def end_programs(guest: GuestClient, name: str) -> None:
    """Ask all programs whose name has `name` in it to end, as `pkill` does, and wait until they are gone.

    `chrome` also means Chromium, which stands in for it on some desktops. There may be none.

    Raises:
        InfraError: they did not end; the message names them.
    """
    pattern = "chrom(e|ium)" if name == "chrome" else name
    done = guest.run(["pkill", "--", pattern])
    if done.exit_code not in (0, 1):
        raise InfraError(f"pkill {name} failed: {done.stderr.strip()}")
    if not wait_for(lambda: not _running(guest, pattern) or None, END_SECONDS):
        still = ", ".join(sorted(set(_running(guest, pattern))))
        raise InfraError(f"{still or name} did not end in {END_SECONDS:g} s after pkill {name}")


def _running(guest: GuestClient, pattern: str) -> list[str]:
    listed = guest.run(["ps", "-e", "-o", "stat=,comm="]).stdout
    rows = (line.split(None, 1) for line in listed.splitlines())
    return [row[1] for row in rows if len(row) == 2 and row[0][0] != "Z" and re.search(pattern, row[1])]
