"""What a run has spent on rented machines: one row in `run.sqlite` each, from when it is asked for until it is gone.

A machine whose end nobody wrote down is counted up to the moment at which it ends whatever happens.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

SCHEMA = """
CREATE TABLE IF NOT EXISTS rents (
    lease TEXT PRIMARY KEY NOT NULL, machine TEXT NOT NULL, per_hour REAL, longest REAL NOT NULL, began REAL NOT NULL,
    ended REAL
)
"""


@dataclass(frozen=True, slots=True)
class Rent:
    """What a desktop costs as long as it is there.

    Attributes:
        machine: what is paid for, in the words of who rents it out.
        per_hour: US dollars; None where the price is not known.
        longest: seconds after which it ends whatever happens.
    """

    machine: str
    per_hour: float | None
    longest: float


@dataclass(frozen=True, slots=True)
class MachineSpend:
    """What machines of one kind have cost the run.

    Attributes:
        machine: their kind.
        count: how many there were.
        unpriced: those of them whose price is not known; they stand in no sum of costs.
        hours: of all of them together, up to now.
        cost: of those whose price is known, in US dollars; None where there is none of them.
    """

    machine: str
    count: int
    unpriced: int
    hours: float
    cost: float | None


def begin(db: sqlite3.Connection, lease: str, rent: Rent) -> None:
    """Write down that a machine is about to be asked for."""
    values = (lease, rent.machine, rent.per_hour, rent.longest, time.time())
    db.execute("INSERT INTO rents VALUES (?, ?, ?, ?, ?, NULL)", values)


def end(db: sqlite3.Connection, leases: Iterable[str]) -> None:
    """Write down that machines are gone; there may be none for a lease."""
    now = time.time()
    db.executemany("UPDATE rents SET ended = ? WHERE lease = ? AND ended IS NULL", [(now, lease) for lease in leases])


def cost(db: sqlite3.Connection) -> float:
    """Return what all machines have cost up to now, in US dollars; those without a known price add nothing."""
    return sum(spend.cost or 0.0 for spend in by_machine(db))


def by_machine(db: sqlite3.Connection) -> tuple[MachineSpend, ...]:
    """Return what machines of each kind have cost up to now, by name."""
    rows = db.execute(
        "SELECT machine, count(*), sum(per_hour IS NULL), sum(hours), sum(per_hour * hours) FROM "
        "(SELECT *, max(0.0, min(coalesce(ended, :now), began + longest) - began) / 3600 AS hours FROM rents) "
        "GROUP BY machine ORDER BY machine",
        {"now": time.time()},
    )
    return tuple(MachineSpend(*row) for row in rows)
