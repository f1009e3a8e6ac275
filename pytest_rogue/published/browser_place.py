"""Where a desktop's browser keeps its user's data, and how it is started: what the desktop has decides."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import GuestFault, GuestFileUnreadable
from pytest_rogue.evaluators.browser_database import MOST_ROWS, read_rows
from pytest_rogue.evaluators.browser_profile import ProfileDamaged, close_browser
from pytest_rogue.evaluators.browser_settings import PREFERENCES, read_those_there

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_rogue.desktops.guest_client import GuestClient

# Of several folders the one of a running browser counts, else the one that a browser has used last. Where none was used
# yet, the browser that is installed will make its own.
_FIND = """
import json, os, shutil
folders = [os.path.expanduser("~/" + name)
           for name in (".config/google-chrome", ".config/chromium", "snap/chromium/common/chromium")]
program = next((name for name in ("google-chrome", "google-chrome-stable", "chromium", "chromium-browser")
                if shutil.which(name)), "")

def command(folder):
    try:
        process = os.readlink(folder + "/SingletonLock").rpartition("-")[2]
        if "chrom" in os.path.basename(os.readlink(f"/proc/{process}/exe")):
            with open(f"/proc/{process}/cmdline") as file:
                return file.read().split("\\0")
    except OSError:
        pass
    return []

def used(folder):
    try:
        return os.stat(folder + "/Local State").st_mtime
    except OSError:
        return 0

folder = max(folders, key=lambda folder: (bool(command(folder)), used(folder)))
if not command(folder) and not used(folder) and "google" not in program:
    folder = folders[2 if os.path.realpath(shutil.which(program) or "").startswith("/snap") else 1]
print(json.dumps({"folder": folder, "program": program, "command": command(folder)}))
"""


@dataclass(frozen=True, slots=True)
class BrowserPlace:
    """The browser of a desktop.

    Attributes:
        guest: of the desktop.
        folder: of the user's data; a profile is a folder in it.
        program: that starts it.
        command: with which it was started that uses the folder now; empty where none runs.
    """

    guest: GuestClient
    folder: str
    program: str
    command: tuple[str, ...]

    @property
    def ports(self) -> tuple[int, ...]:
        """Where it may answer: what the tasks forward to the outside, what they start it with, what it was given."""
        given = [part.partition("=")[2] for part in self.command if part.startswith("--remote-debugging-port=")]
        return tuple(dict.fromkeys((9222, 1337, *(int(port) for port in given if port.isdigit()))))

    def preferences(self) -> list[dict[str, Any]]:
        """Close the browser and return its preferences.

        Raises:
            GuestFileMissing: there are none.
            GuestFileUnreadable: they are damaged.
            GuestFault: the browser did not close.
        """
        return self.read_closed(PREFERENCES)

    def read_closed(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """Close the browser and return its JSON files of these names; raises as `preferences` does."""
        close_browser(self.guest, self.folder)
        with _damage_is_a_finding():
            return read_those_there(self.guest, names, self.folder)

    def rows(self, name: str, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """Close the browser and return columns of a table in one of its databases; raises as `preferences` does."""
        close_browser(self.guest, self.folder)
        with _damage_is_a_finding():
            rows = read_rows(self.guest, name, table, columns, self.folder)
        if len(rows) == MOST_ROWS:
            raise GuestFault(f"{name} holds {MOST_ROWS:,} rows or more, and only so many are read")
        return rows


def find_browser(guest: GuestClient) -> BrowserPlace:
    """Return the browser of a desktop.

    Raises:
        GuestFault: it has none, or could not be asked.
    """
    result = guest.run(["python3", "-c", _FIND], timeout=30.0)
    try:
        found = json.loads(result.stdout)
    except ValueError as error:
        raise GuestFault(f"the browser's folder could not be looked for: {result.stderr.strip() or error}") from error
    if not found["program"]:
        raise GuestFault("this desktop has neither google-chrome nor chromium, which the task needs")
    return BrowserPlace(guest, found["folder"], found["program"], tuple(found["command"]))


@contextmanager
def _damage_is_a_finding() -> Iterator[None]:
    try:
        yield
    except ProfileDamaged as error:
        raise GuestFileUnreadable(str(error)) from error
