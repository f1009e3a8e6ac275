"""How many desktops a run holds, over all its processes: one row in `run.sqlite` for each, taken before it is made.

A row says who took it, so that the row of a process that was killed can be given up for it.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pytest_rogue.errors import InfraError
from pytest_rogue.records import rents

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_rogue.records.rents import Rent

Use = Literal["episode", "spare"]
"""What a desktop is for: an episode that needs it now, or the one after it."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS leases (
    id TEXT PRIMARY KEY NOT NULL, owner TEXT NOT NULL, provider TEXT NOT NULL, use TEXT NOT NULL, taken REAL NOT NULL
)
"""


@dataclass(frozen=True, slots=True)
class Lease:
    """One desktop that is taken.

    Attributes:
        id: chosen by whoever took it.
        owner: the process it belongs to, `str(Owner)`.
        provider: who makes it.
        use: what it is for.
        taken: when, in seconds since 1970.
    """

    id: str
    owner: str
    provider: str
    use: Use
    taken: float


class LeaseBook:
    """The leases of a run; may be used by several processes and threads at the same time.

    Args:
        path: the run's `run.sqlite`; it is made where it is missing.
        limit: desktops that may be there at once.
        spares: how many of them may be spares; the rest is kept for episodes.

    Raises:
        InfraError: from any method, where the file cannot be used.
    """

    def __init__(self, path: Path, *, limit: int, spares: int) -> None:
        self.path = path
        self.limit = limit
        self.spares = spares
        with self._open() as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(_SCHEMA)
            db.execute(rents.SCHEMA)

    def take(self, lease: str, owner: str, provider: str, use: Use, rent: Rent | None = None) -> bool:
        """Take a lease; False where no more may be taken now.

        Args:
            lease: its id, new. The caller knows it before the row exists, so that it can give back what it took even
                if it is interrupted on the way.
            owner: the process it is for, `str(Owner)`.
            provider: who will make the desktop.
            use: what it is for.
            rent: what the desktop will cost; it counts until the lease is given back.
        """
        with self._open() as db:
            db.execute("BEGIN IMMEDIATE")
            with db:
                if not self._room(db, use):
                    return False
                db.execute("INSERT INTO leases VALUES (?, ?, ?, ?, ?)", (lease, owner, provider, use, time.time()))
                if rent is not None:
                    rents.begin(db, lease, rent)
                return True

    def use_for_episode(self, lease: str) -> None:
        """Note that a spare is one no longer."""
        with self._open() as db:
            db.execute("UPDATE leases SET use = 'episode' WHERE id = ?", (lease,))

    def give_back(self, lease: str) -> None:
        """Give a lease back: its desktop is gone. There may be no such lease."""
        with self._open() as db:
            rents.end(db, [lease])
            db.execute("DELETE FROM leases WHERE id = ?", (lease,))

    def give_up(self, owner: str) -> int:
        """Give back all leases of an owner; return how many there were."""
        with self._open() as db:
            leases = [lease for (lease,) in db.execute("SELECT id FROM leases WHERE owner = ?", (owner,))]
            rents.end(db, leases)
            return db.execute("DELETE FROM leases WHERE owner = ?", (owner,)).rowcount

    def taken(self) -> tuple[Lease, ...]:
        """Return all leases, the oldest first."""
        with self._open() as db:
            rows = db.execute("SELECT id, owner, provider, use, taken FROM leases ORDER BY taken, id").fetchall()
        return tuple(Lease(*row) for row in rows)

    def _room(self, db: sqlite3.Connection, use: Use) -> bool:
        total, spares = db.execute("SELECT count(*), coalesce(sum(use = 'spare'), 0) FROM leases").fetchone()
        return bool(total < self.limit and (use == "episode" or spares < self.spares))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A connection each time: they are cheap, and must cross neither threads nor forks."""
        try:
            with closing(sqlite3.connect(self.path, timeout=30, isolation_level=None)) as db:
                yield db
        except sqlite3.Error as error:
            raise InfraError(
                f"The leases in {self.path} cannot be used: {error}; see that the disk has space and that the run "
                "folder still exists, then continue the run with --rogue-resume."
            ) from error
