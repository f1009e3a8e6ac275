"""The browser's database of visited pages, filled."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_rogue.errors import GuestFault, GuestFileMissing
from pytest_rogue.evaluators.browser_profile import close_browser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.published.browser_place import BrowserPlace

NAME = "Default/History"

_SECONDS_TO_MAKE = 60.0

_BEFORE_1970 = 11_644_473_600
"""Chromium counts from the beginning of 1601."""

_TYPED_AND_WHOLE = 0x30000001
"""Kind of a visit: typed into the address bar, begun and ended with this page. Only such ones show in the history."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A page that was visited at a time, in seconds since 1970."""

    url: str
    title: str
    time: float


def unix_seconds(time: int) -> float:
    """Return a time of the browser's (microseconds since 1601) in seconds since 1970."""
    return time / 1e6 - _BEFORE_1970


def add_visits(place: BrowserPlace, visits: Sequence[Visit]) -> None:
    """Close the browser and add to its history.

    Raises:
        GuestFault: the history cannot be had, or cannot be filled.
    """
    close_browser(place.guest, place.folder)
    history = _history(place)
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(history)
            for visit in visits:
                _add(database, visit)
            database.commit()
            filled = database.serialize()
    except sqlite3.Error as error:
        raise GuestFault(f"the browser's history could not be filled: {error}") from error
    place.guest.write_file(f"{place.folder}/{NAME}", filled, mode=0o600)


def _history(place: BrowserPlace) -> bytes:
    """Return the database; where there is none, the browser makes it, so that it has the form of this very version."""
    path = f"{place.folder}/{NAME}"
    try:
        return place.guest.read_file(path)
    except GuestFileMissing:
        pass
    shows_nothing = [
        place.program, "--headless=new", f"--user-data-dir={place.folder}", "--dump-dom", "about:blank"
    ]  # fmt: skip
    done = place.guest.run(shows_nothing, timeout=_SECONDS_TO_MAKE)
    try:
        return place.guest.read_file(path)
    except GuestFileMissing as error:
        said = "it ran into its time limit" if done.timed_out else done.stderr.strip().rpartition("\n")[2]
        raise GuestFault(f"the browser made no history at {path}: {said}") from error


def _add(database: sqlite3.Connection, visit: Visit) -> None:
    time = round((visit.time + _BEFORE_1970) * 1e6)
    known = database.execute("SELECT id FROM urls WHERE url = ?", (visit.url,)).fetchone()
    if known is None:
        known = database.execute(
            "INSERT INTO urls (url, title, visit_count, typed_count, last_visit_time, hidden) VALUES (?, ?, 0, 0, 0, 0)"
            " RETURNING id",
            (visit.url, visit.title),
        ).fetchone()
    database.execute(
        "UPDATE urls SET visit_count = visit_count + 1, last_visit_time = max(last_visit_time, ?) WHERE id = ?",
        (time, *known),
    )
    database.execute(
        "INSERT INTO visits (url, visit_time, from_visit, transition, segment_id, visit_duration)"
        " VALUES (?, ?, 0, ?, 0, 0)",
        (*known, time, _TYPED_AND_WHOLE),
    )
