"""Tables of Chromium's databases, read where the file may be anybody's: what a row costs is bounded."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

from pytest_rogue.evaluators.browser_profile import FOLDER, ProfileDamaged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.evaluators.protocol import GuestReader

MOST_ROWS = 10_000
"""Rows of a table that are looked at."""

SECONDS = 20.0
"""For all rows of a table; a browser's take some milliseconds."""

LONGEST_ROW = 4 * 1024 * 1024
"""Bytes of one row; an address has two million at most."""

LARGEST = 64 * 1024 * 1024
"""Characters of all rows together."""

_INSTRUCTIONS = 10_000
"""Of SQLite's own machine, after each of which it is looked whether time is over."""


def read_rows(
    reader: GuestReader, name: str, table: str, columns: Sequence[str], folder: str = FOLDER
) -> list[tuple[Any, ...]]:
    """Return columns of a table of the profile, which is read from a copy; call `close_browser` before.

    Only what is stored is read. A view in the table's place, or a column that is calculated, would run what the file
    says.

    Args:
        reader: of the desktop.
        name: below the user's data, `Default/History` for instance.
        table: in it.
        columns: of the table.
        folder: of the user's data.

    Raises:
        ProfileDamaged: it is no such database, or takes more than a browser's does.
        GuestFileMissing: there is no such file.
    """
    copy = reader.read_file(f"{folder}/{name}")
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(copy)
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_ROW)
            over = time.monotonic() + SECONDS
            database.set_progress_handler(lambda: time.monotonic() > over, _INSTRUCTIONS)
            if not set(columns) <= _stored_columns(database, table):
                raise ProfileDamaged(f"{name} has no table {table} with the columns {', '.join(columns)}")
            return _bounded(database.execute(f"SELECT {', '.join(columns)} FROM {table}"), name)  # noqa: S608 - our own names
    except sqlite3.Error as error:
        raise ProfileDamaged(f"{name} is no readable database: {error}") from error


def _stored_columns(database: sqlite3.Connection, table: str) -> set[str]:
    """Return the columns of a table that lies in the file itself, none for a view or a virtual table."""
    known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?"
    if database.execute(known, (table,)).fetchone() is None:
        return set()
    # This list, unlike `table_xinfo`, is without the columns that are calculated.
    return {column for _, column, *_ in database.execute(f"PRAGMA table_info({table})")}


def _bounded(found: sqlite3.Cursor, name: str) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    size = 0
    for row in found:
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if size > LARGEST:
            raise ProfileDamaged(f"{name} holds more than {LARGEST:,} characters")
        rows.append(row)
        if len(rows) == MOST_ROWS:
            break
    return rows
