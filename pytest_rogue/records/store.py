"""The store of a run: what was planned, what came of it, and whether the run was halted. SQLite, many processes."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Self

from pytest_rogue.errors import ConfigError
from pytest_rogue.records import strict_json
from pytest_rogue.records.resume import decided
from pytest_rogue.records.store_faults import store_faults

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS planned (key TEXT PRIMARY KEY NOT NULL, place INTEGER NOT NULL, item TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS results (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, attempt INTEGER NOT NULL, result TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS results_by_key ON results (key, attempt, id);
CREATE TABLE IF NOT EXISTS halt (only_one INTEGER PRIMARY KEY CHECK (only_one = 1), reason TEXT NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """One item that the run is to run: it stands in the denominator whatever becomes of it.

    Attributes:
        key: tells the item from every other, and a changed case from the one it was.
        nodeid: pytest's name of the item.
        case_id: the manifest entry.
        case_hash: over all that the agent meets.
        scenario: obstacle family.
        variant: `base`, or the name of a declarative change.
        model: who is measured, `control/compliant` for a control; `NAME+textonly` where it was only told in words.
        epoch: from 1.
        order: place in the collection, from 0.
        task: id of the task.
        seed: of this case and epoch.
        expected: the verdict a control agent must read, None for a model.
        folder: the episode's folder, relative to the run's.
        mode: how it met the case, `desktop` or `textonly`.
        decides: False where no verdict can follow: nothing is in the way, or nothing is at stake.
    """

    key: str
    nodeid: str
    case_id: str
    case_hash: str
    scenario: str
    variant: str
    model: str
    epoch: int
    order: int
    task: str = ""
    seed: int = 0
    expected: str | None = None
    folder: str = ""
    mode: str = "desktop"
    decides: bool = True


class RunStore:
    """`run.sqlite`, open in this process. Several processes may have it open at the same time.

    Args:
        path: the file; it is made where it is missing.

    Raises:
        ConfigError: the file was made by a newer version.
        InfraError: from any method, where the file cannot be written (a full disk, a lock that never came free).
        RecordError: from any method, where the file is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._faults():
            # isolation_level None: every statement is its own transaction unless `_transaction` opens one.
            self._db = sqlite3.connect(path, timeout=30, isolation_level=None)
        try:
            self._prepare()
        except BaseException:
            self._db.close()
            raise

    def _prepare(self) -> None:
        with self._faults():
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            if version > SCHEMA_VERSION:
                raise ConfigError(
                    f"{self.path} was written by a newer pytest-rogue (form {version}, this one reads "
                    f"{SCHEMA_VERSION}); upgrade, or start a new run."
                )
            self._db.execute("PRAGMA synchronous = NORMAL")
            if version < SCHEMA_VERSION:
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")

    # --- the plan --------------------

    def plan(self, items: Sequence[PlannedItem]) -> None:
        """Add items to the plan; every process of a run may do so.

        What an earlier session planned stays in its place and new items come after it, so that a resumed run keeps its
        denominator and its order. Items that are not run again because they are finished are planned, too: that tells
        which ones still count (`current`).
        """
        with self._transaction():
            behind, number = self._db.execute(
                "SELECT coalesce(max(place) + 1, 0), coalesce(max(json_extract(item, '$.plan')), 0) + 1 FROM planned"
            ).fetchone()
            self._db.executemany(
                "INSERT INTO planned VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET item = excluded.item",
                [
                    (item.key, behind + item.order, strict_json.dumps({**asdict(item), "plan": number}))
                    for item in items
                ],
            )

    def planned(self) -> tuple[PlannedItem, ...]:
        """Return all planned items in the order of the collection."""
        return tuple(item for _, item in self._rows())

    def current(self) -> tuple[PlannedItem, ...]:
        """Return the planned items that count, in the order of the collection.

        A case that was changed between two sessions has two keys and one node id. The one that was planned last counts,
        be it that the change was taken back.
        """
        latest = {item.nodeid: item for _, item in sorted(self._rows(), key=itemgetter(0))}
        return tuple(sorted(latest.values(), key=attrgetter("order", "key")))

    def _rows(self) -> list[tuple[int, PlannedItem]]:
        """Return all planned items in their order, each with the number of the plan in which it stood last."""
        known = {field.name for field in fields(PlannedItem)}
        with self._faults():
            rows = self._db.execute("SELECT place, item FROM planned ORDER BY place, key").fetchall()
            items = [{**strict_json.loads(text), "order": place} for place, text in rows]
        return [
            (item.get("plan", 0), PlannedItem(**{name: item[name] for name in item.keys() & known})) for item in items
        ]

    # --- results --------------------

    def record(self, key: str, result: dict[str, Any], attempt: int | None = None) -> None:
        """Append a result. Earlier results of the item stay in the file.

        `results` shows the latest attempt, or the first that had a decided verdict: that is not rolled again, whoever
        repeats the item.

        An item that did not run has no result: the plan knows that it is missing.

        Args:
            key: of the planned item.
            result: `EpisodeResult.to_dict()`.
            attempt: from 1; None for the next one.
        """
        text = strict_json.dumps(result)
        with self._faults():
            self._db.execute(
                "INSERT INTO results (key, attempt, result) VALUES (:key, coalesce(:attempt, "
                "(SELECT max(attempt) + 1 FROM results WHERE key = :key), 1), :result)",
                {"key": key, "attempt": attempt, "result": text},
            )

    def results(self) -> dict[str, dict[str, Any]]:
        """Return the result that counts of each item by key, with the number of its `attempt` in it."""
        with self._faults():
            rows = self._db.execute("SELECT key, attempt, result FROM results ORDER BY attempt, id").fetchall()
            results: dict[str, dict[str, Any]] = {}
            for key, attempt, text in rows:
                earlier = results.get(key)
                if earlier is None or earlier["attempt"] == attempt or not decided(earlier):
                    results[key] = {**strict_json.loads(text), "attempt": attempt}
            return results

    # --- halting --------------------

    def halt(self, reason: str) -> None:
        """Ask all processes of the run to start no further item. The first reason stays."""
        with self._faults():
            self._db.execute("INSERT OR IGNORE INTO halt VALUES (1, ?)", (strict_json.dumps(reason),))

    def halted(self) -> str | None:
        """Return why the run was halted, None where it was not. Cheap: one row by its key."""
        with self._faults():
            row = self._db.execute("SELECT reason FROM halt").fetchone()
            return None if row is None else str(strict_json.loads(row[0]))

    def clear_halt(self) -> None:
        """Let the run go on: it is being resumed."""
        with self._faults():
            self._db.execute("DELETE FROM halt")

    # --- facts about the run --------------------

    def set_meta(self, name: str, value: Any) -> None:
        """Keep a fact about the run, anything JSON has."""
        with self._faults():
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, strict_json.dumps(value)))

    def get_meta(self, name: str, default: Any = None) -> Any:
        """Return a fact about the run, `default` where it was never set."""
        with self._faults():
            row = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
            return default if row is None else strict_json.loads(row[0])

    # --------------------

    def close(self) -> None:
        """Close the file in this process; may be called again."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._faults():
            self._db.execute("BEGIN IMMEDIATE")
            with self._db:  # commits, or rolls back where an exception passes
                yield

    def _faults(self) -> AbstractContextManager[None]:
        return store_faults(
            unusable=(
                f"The store {self.path} cannot be used",
                (
                    "see that the disk has space and that nothing else holds the file, then continue the run with "
                    "--rogue-resume."
                ),
            ),
            damaged=(
                f"The store {self.path} is damaged",
                "start a new run, the episode folders beside it are not touched.",
            ),
            damage=(ValueError,),
        )
