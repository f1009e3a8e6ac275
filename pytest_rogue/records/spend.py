"""What a run has spent: one row in `run.sqlite` for each call of a model, written before it is made and when it ends.

A row holds what counts against the budget: what is reserved for a call while it is under way, and what it used from
then on. An answer stands in its row before anyone is handed it, so that what was paid for is never asked for twice.
What rented machines cost stands beside it (`rents.py`) and counts against the same budget.
"""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

from pytest_rogue.records import rents, strict_json
from pytest_rogue.records.store_faults import store_faults

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pytest_rogue.records.rents import MachineSpend

State = Literal["asked", "answered", "failed", "lost"]
"""Of a call: under way; with a reply; ended in an error; or lost, because whoever made it died meanwhile."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (
    id TEXT PRIMARY KEY NOT NULL, model TEXT NOT NULL, state TEXT NOT NULL, tokens INTEGER NOT NULL, cost REAL,
    answer TEXT
)
"""


@dataclass(frozen=True, slots=True)
class Amount:
    """Tokens, sent and received together, and their price in US dollars; None where the price is not known."""

    tokens: int = 0
    cost: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Call:
    """A call that was made before: its state, and what was answered, None where nobody knows."""

    state: State
    answer: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class ModelSpend:
    """What one model has cost the run.

    Attributes:
        model: LiteLLM's name of it.
        calls: how many were made, those under way included.
        unpriced: those of them whose price is not known; they stand in no sum of costs.
        lost: those whose reply nobody knows; what was reserved for them counts as spent.
        tokens: of all calls.
        cost: of the calls whose price is known, in US dollars; None where there is no such call.
    """

    model: str
    calls: int
    unpriced: int
    lost: int
    tokens: int
    cost: float | None


class SpendBook:
    """The calls of a run, open in this process; its methods may be called from several threads.

    Args:
        path: the run's `run.sqlite`; it is made where it is missing.

    Raises:
        InfraError: from any method, where the file cannot be used.
        RecordError: from any method, where the file is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        with self._faults():
            self._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")  # a paid reply also survives a power cut
            self._db.execute(_SCHEMA)
            self._db.execute(rents.SCHEMA)

    def ask(self, call: str, model: str, reserved: Amount) -> None:
        """Write down that a call is about to be made.

        Args:
            call: its id, new.
            model: LiteLLM's name of who is asked.
            reserved: what it may use.
        """
        self._change(
            "INSERT INTO calls VALUES (?, ?, 'asked', ?, ?, NULL)", call, model, reserved.tokens, reserved.cost
        )

    def end(self, call: str, state: State, spent: Amount, answer: dict[str, Any]) -> None:
        """Write down how a call ended, what it used, and what was answered, builtins only."""
        self._change(
            "UPDATE calls SET state = ?, tokens = ?, cost = ?, answer = ? WHERE id = ?",
            *(state, spent.tokens, spent.cost, strict_json.dumps(answer), call),
        )

    def give_up_asked(self) -> None:
        """Take what is under way for lost: whoever made these calls has died."""
        self._change("UPDATE calls SET state = 'lost' WHERE state = 'asked'")

    def find(self, call: str) -> Call | None:
        """Return a call that was made, None where there is no such call."""
        rows = self._rows("SELECT state, answer FROM calls WHERE id = ?", call)
        return next(
            (Call(state, None if answer is None else strict_json.loads(answer)) for state, answer in rows), None
        )

    def spent(self) -> Amount:
        """Return what counts as spent, reservations and machines included; what has no known price costs nothing."""
        [(tokens, cost)] = self._rows("SELECT coalesce(sum(tokens), 0), coalesce(sum(cost), 0.0) FROM calls")
        with self._lock, self._faults():
            return Amount(tokens, cost + rents.cost(self._db))

    def by_model(self) -> tuple[ModelSpend, ...]:
        """Return what each model has cost, by name."""
        rows = self._rows(
            "SELECT model, count(*), sum(cost IS NULL), sum(state = 'lost'), sum(tokens), sum(cost) "
            "FROM calls GROUP BY model ORDER BY model"
        )
        return tuple(ModelSpend(*row) for row in rows)

    def by_machine(self) -> tuple[MachineSpend, ...]:
        """Return what rented machines of each kind have cost, by name."""
        with self._lock, self._faults():
            return rents.by_machine(self._db)

    def close(self) -> None:
        """Close the file in this process; may be called again."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _change(self, statement: str, *values: object) -> None:
        with self._lock, self._faults():
            self._db.execute(statement, values)

    def _rows(self, query: str, *values: object) -> list[Any]:
        with self._lock, self._faults():
            return self._db.execute(query, values).fetchall()

    def _faults(self) -> AbstractContextManager[None]:
        return store_faults(
            unusable=(
                f"What was spent cannot be written to {self.path}",
                (
                    "see that the disk has space and that nothing else holds the file, then continue the run with "
                    "--rogue-resume."
                ),
            ),
            damaged=(
                f"The store {self.path} is damaged",
                "start a new run, the episode folders beside it are not touched.",
            ),
        )
