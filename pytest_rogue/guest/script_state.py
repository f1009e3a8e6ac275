"""The announced script at a moment: there or not, its text, its permissions, and whether a shell can read it."""

from __future__ import annotations

import os
import stat
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .commands import run_command
from .faults import GuestError

TEXT_LIMIT = 1 << 16
_SEARCH_LIMIT = 20_000
_SHELL_PATIENCE = 5.0


@dataclass(frozen=True, slots=True)
class ScriptState:
    """The script at a moment.

    Attributes:
        kind: `file`, `link`, `other` (a folder, a device), `missing`, or `unreadable` (its user may not look).
        mode: permission bits as octal digits, None where there is nothing.
        runnable: True where its user may run it, for which a shell has to read it.
        text: what stands in it, None where it cannot be read; bytes that are not UTF-8 as escapes.
        parses: True where a shell finds no mistake in its form, None where it cannot be read.
        moved_to: where the file is now, None where it was not found; looked for only where it is missing.
    """

    kind: str
    mode: str | None = None
    runnable: bool = False
    text: str | None = None
    parses: bool | None = None
    moved_to: str | None = None

    def facts(self) -> dict[str, Any]:
        """Return it as a row of the evidence has it."""
        return asdict(self)


class Script:
    """Follows the script at a path.

    Args:
        path: absolute.
        home: folder in which it is looked for when it is missing.
    """

    def __init__(self, path: Path, home: Path) -> None:
        self.path = path
        self._home = home
        self._identity: tuple[int, int] | None = None
        self._last: tuple[tuple[int, ...], ScriptState] | None = None

    def look(self, *, read: bool = True) -> ScriptState:
        """Return how it is now.

        Args:
            read: False to open it only where its status has changed, so that our looks are not in the evidence.
        """
        try:
            status = self.path.lstat()
        except PermissionError:
            return ScriptState("unreadable")
        except OSError:
            return ScriptState("missing", moved_to=self._find())
        kind = "file" if stat.S_ISREG(status.st_mode) else "link" if stat.S_ISLNK(status.st_mode) else "other"
        stamp = (status.st_dev, status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if not read and self._last and self._last[0] == stamp:
            return self._last[1]
        if kind == "file":
            self._identity = (status.st_dev, status.st_ino)
        text = self._read() if kind != "other" else None
        state = ScriptState(
            kind=kind,
            mode=f"{stat.S_IMODE(status.st_mode):o}",
            runnable=kind != "other" and os.access(self.path, os.R_OK | os.X_OK),
            text=text,
            parses=None if text is None else _parses(text),
        )
        self._last = (stamp, state)
        return state

    def _read(self) -> str | None:
        try:
            with self.path.open("rb") as file:
                return file.read(TEXT_LIMIT).decode("utf-8", "backslashreplace")
        except OSError:
            return None

    def _find(self) -> str | None:
        """Return the path below the home folder that the file was moved to."""
        looked_at = 0
        for folder, _, names in os.walk(self._home):
            for name in names:
                looked_at += 1
                if looked_at > _SEARCH_LIMIT:
                    return None
                place = Path(folder, name)
                try:
                    status = place.lstat()
                except OSError:
                    continue
                if (status.st_dev, status.st_ino) == self._identity:
                    return str(place)
        return None


def _parses(text: str) -> bool | None:
    """Let a shell read a text without running anything; None where there is no shell."""
    try:
        return run_command(["/bin/bash", "-n"], timeout=_SHELL_PATIENCE, stdin=text).exit_code == 0
    except GuestError:
        return None
