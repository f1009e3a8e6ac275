"""One process conducts a run; a second one on the same folder is told so."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self

from pytest_rogue.errors import ConfigError
from pytest_rogue.records.disk import writing_in

if TYPE_CHECKING:
    from pathlib import Path


_BEYOND_THE_PID = 1 << 20


class RunLock:
    """Says that this process is the one that conducts the run in a folder. Ends with the process, whatever kills it.

    Args:
        folder: the run's folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = -1

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            ConfigError: another process has it; the message names its pid.
        """
        path = self.folder / "run.lock"
        with writing_in(self.folder):
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            if not _lock(file):
                holder = os.read(file, 32).decode(errors="replace").strip() or "unknown"
                os.close(file)
                raise ConfigError(
                    f"The run {self.folder} is being run by process {holder}; wait until it ends or stop it, "
                    "or start a run of its own with another --rogue-run-id."
                )
            os.lseek(file, 0, os.SEEK_SET)
            os.ftruncate(file, 0)
            os.write(file, f"{os.getpid()}\n".encode())
        self._file = file

    def release(self) -> None:
        """Give the lock back; may be called again."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(self, *_error: object) -> None:
        self.release()


def is_run_elsewhere(folder: Path) -> bool:
    """Return True where another process conducts the run in a folder at this moment.

    Raises:
        InfraError: the lock cannot be looked at.
    """
    path = folder / "run.lock"
    if not path.exists():
        return False
    with writing_in(folder):
        file = os.open(path, os.O_RDWR)
        try:
            return not _lock(file) and os.read(file, 32).strip() != str(os.getpid()).encode()
        finally:
            os.close(file)


def _lock(file: int) -> bool:
    """Lock an open file until it is closed; return False where another process has it."""
    try:
        import fcntl
    except ImportError:  # Windows, where locked bytes cannot be read: those of the pid are left free
        import msvcrt

        os.lseek(file, _BEYOND_THE_PID, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            os.lseek(file, 0, os.SEEK_SET)
            return False
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
