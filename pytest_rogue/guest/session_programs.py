"""Programs that belong to a session beside what every desktop needs: a panel, a settings daemon.

An image lists them in a file. Each has come when it can be seen to be there: by a window of its class on the screen, or
by the X selection that it owns. Later they are left alone: a person may end a panel, and the session goes on.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from Xlib import X

from .faults import GuestError
from .windows import Program, Windows
from .xserver import connect

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_POLL = 0.02


@dataclass(frozen=True, slots=True)
class SessionProgram:
    """A program, and the sign that it has come; one without a sign counts as come when it was started."""

    command: list[str]
    window_class: str = ""
    selection: str = ""


def listed(path: Path) -> list[SessionProgram]:
    """Return the programs that a JSON file lists; none where there is no such file.

    Raises:
        GuestError: `session_broken`, where the file is not such a list.
    """
    try:
        return [SessionProgram(**entry) for entry in json.loads(path.read_text("utf-8"))]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError) as error:
        message = f'{path} is not a list of {{"command", "window_class" or "selection"}}: {error}'
        raise GuestError("session_broken", message) from None


def start(programs: Sequence[SessionProgram], check: Callable[[], None]) -> None:
    """Start the programs at the same time, and wait until all have come.

    Args:
        programs: to start.
        check: is called between looks; raises to end the wait.

    Raises:
        GuestError: `launch_failed`, where one ended with an error before it came.
    """
    started = [(program, Program(program.command)) for program in programs]
    windows = Windows()
    while waiting := [pair for pair in started if not _has_come(pair[0], windows)]:
        check()
        for _, running in waiting:
            running.raise_if_failed()
        time.sleep(_POLL)


def _has_come(program: SessionProgram, windows: Windows) -> bool:
    if program.selection:
        return _is_owned(program.selection)
    if program.window_class:
        return windows.find(lambda window: window.shown and window.window_class == program.window_class) is not None
    return True


def _is_owned(selection: str) -> bool:
    display = connect()
    try:
        return bool(display.get_selection_owner(display.intern_atom(selection)) != X.NONE)
    finally:
        display.close()
