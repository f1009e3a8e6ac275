"""What SQLite says of a file, told as an error of ours that says what to do."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_rogue.errors import InfraError, RecordError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def store_faults(
    *, unusable: tuple[str, str], damaged: tuple[str, str], damage: tuple[type[Exception], ...] = ()
) -> Iterator[None]:
    """Tell the faults of a file; mistakes of ours in asking it are raised as they are.

    Args:
        unusable: what is said where the file cannot be read or written, and what to do then.
        damaged: the same for a file whose content is damaged.
        damage: what else means that its content is damaged.

    Raises:
        InfraError: it cannot be used.
        RecordError: it is damaged.
    """
    content: tuple[type[Exception], ...] = (sqlite3.DatabaseError, *damage)
    try:
        yield
    except sqlite3.OperationalError as error:
        raise InfraError(f"{unusable[0]}: {error}; {unusable[1]}") from error
    except (sqlite3.ProgrammingError, sqlite3.IntegrityError):
        raise  # ours, not the file's
    except content as error:
        raise RecordError(f"{damaged[0]}: {error}; {damaged[1]}") from error
