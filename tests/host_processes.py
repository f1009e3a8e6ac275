"""What the host's `/proc` says about processes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.desktops.sandbox import Sandbox


def first_process(sandbox: Sandbox) -> int:
    """Return the host's id of the sandbox's process 1."""
    outer = sandbox._process.pid
    return int(Path(f"/proc/{outer}/task/{outer}/children").read_text(encoding="ascii").split()[0])


def namespace_of(pid: int) -> str:
    """Return the name of the process namespace a process is in."""
    return str(Path(f"/proc/{pid}/ns/pid").readlink())


def processes_in(namespace: str) -> list[int]:
    """Return the host's ids of all processes in a process namespace."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if namespace_of(int(entry.name)) == namespace:
                    found.append(int(entry.name))
            except OSError:
                continue  # it ended meanwhile, or is not ours
    return found


def has_ended(pid: int) -> bool:
    """Return whether a process is gone, or only waits to be collected by its parent."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        return True
    return state.rpartition(")")[2].split()[0] == "Z"


def wait_until(condition: Callable[[], bool], seconds: float = 30) -> bool:
    """Poll until `condition` holds; return whether it did within `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
