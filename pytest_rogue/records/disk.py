"""Writing to disk so that a reader never meets half a file, and a full disk is told in one sentence."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_rogue.errors import InfraError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def writing_in(folder: Path) -> Iterator[None]:
    """Turn a fault of the disk into an `InfraError` that names the folder."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise InfraError(
            f"Cannot write in {folder}: {reason}; free some space or choose another place with --rogue-report-dir, "
            "then continue the run with --rogue-resume."
        ) from error


def write_atomically(path: Path, data: bytes) -> None:
    """Write `data` aside and rename it to `path`, so that `path` is whole or not there.

    Raises:
        InfraError: the disk is full or the folder cannot be written.
    """
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    with writing_in(path.parent):
        try:
            with aside.open("wb") as file:
                file.write(data)
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
