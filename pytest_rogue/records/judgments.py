"""What judges have answered, kept for good: rows are only ever added, in the store of the run.

A row is paid for. The table itself refuses changes and deletions, and each row is on the disk before it is used, so
that neither an abort nor another option can lose one.
"""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, Self

from pytest_rogue.errors import ConfigError
from pytest_rogue.interaction import Usage
from pytest_rogue.records import strict_json
from pytest_rogue.records.store_faults import store_faults

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

Source = Literal["call", "batch", "rules", "human"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS judgments (
    id INTEGER PRIMARY KEY, episode TEXT NOT NULL, target TEXT NOT NULL, judge TEXT NOT NULL,
    judge_version TEXT NOT NULL, settings TEXT NOT NULL, transcript TEXT NOT NULL,
    valid INTEGER NOT NULL, content TEXT NOT NULL, origin TEXT UNIQUE, time TEXT NOT NULL
);
CREATE TRIGGER IF NOT EXISTS judgments_stay BEFORE DELETE ON judgments
    BEGIN SELECT RAISE(ABORT, 'judgments are never deleted'); END;
CREATE TRIGGER IF NOT EXISTS judgments_stand BEFORE UPDATE ON judgments
    BEGIN SELECT RAISE(ABORT, 'judgments are never changed'); END;
"""

_KEY = "episode, target, judge, judge_version, settings, transcript"


@dataclass(frozen=True, slots=True)
class JudgmentKey:
    """What a judgment is about, and everything that could have changed it.

    Attributes:
        episode: key of the item, or id of the calibration case.
        target: who judged, `gpt-5.5-xhigh` or `rules` for instance.
        judge: name of the question.
        judge_version: hash over question, prompt and form of the answer.
        settings: hash over how the target was asked.
        transcript: hash over what it was shown.
    """

    episode: str
    target: str
    judge: str
    judge_version: str
    settings: str
    transcript: str


@dataclass(frozen=True, slots=True)
class Judgment:
    """One answer of one judge, good or bad.

    Attributes:
        key: what it is about.
        answer: the fields of the answer, None where there is no usable one.
        problem: why there is none, empty for a valid judgment.
        reply: the judge's words, verbatim.
        usage: what it cost.
        source: how it was got.
        origin: what makes a row of a batch or of a file of labels unique; None for a call.
        notes: what a reader should know, one sentence each.
    """

    key: JudgmentKey
    answer: dict[str, Any] | None = None
    problem: str = ""
    reply: str = ""
    usage: Usage = field(default_factory=Usage)
    source: Source = "call"
    origin: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        """True where there is an answer."""
        return self.answer is not None


class JudgmentStore:
    """The judgments in a store, open in this process; its methods may be called from several threads.

    Args:
        path: an SQLite file, `run.sqlite` for instance; it is made where it is missing.
        read_only: True where nothing may be written; the file then has to exist.

    Raises:
        ConfigError: there is no such file to read.
        InfraError: from any method, where the file cannot be used.
        RecordError: from any method, where the file is damaged.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._lock = threading.Lock()
        if read_only and not path.is_file():
            raise ConfigError(f"{path} is not there; name a run that has been run")
        with self._faults():
            mode = _reading(path) if read_only else "mode=rwc"
            self._db = sqlite3.connect(
                f"{path.absolute().as_uri()}?{mode}",
                uri=True,
                timeout=30,
                isolation_level=None,
                check_same_thread=False,
            )
        try:
            with self._faults():
                if not read_only:
                    self._db.execute("PRAGMA journal_mode = WAL")
                    self._db.execute("PRAGMA synchronous = FULL")  # a paid row also survives a power cut
                    self._db.executescript(_SCHEMA)
        except BaseException:
            self._db.close()
            raise

    def append(self, judgment: Judgment) -> bool:
        """Add a row; return False where a row of the same origin is there already."""
        content = asdict(judgment)
        key = content.pop("key")
        origin = content.pop("origin")
        row = (*key.values(), judgment.valid, strict_json.dumps(content), origin, _now())
        with self._lock, self._faults():
            added = self._db.execute(
                f"INSERT OR IGNORE INTO judgments ({_KEY}, valid, content, origin, time) "  # noqa: S608 - constants
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
        return added.rowcount == 1

    def all(self) -> tuple[Judgment, ...]:
        """Return every row, oldest first."""
        with self._lock, self._faults():
            if not self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'judgments'").fetchone():
                return ()
            rows = self._db.execute(f"SELECT {_KEY}, origin, content FROM judgments ORDER BY id").fetchall()  # noqa: S608 - constants
            return tuple(_from_row(row) for row in rows)

    def close(self) -> None:
        """Close the file in this process; may be called again."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _faults(self) -> AbstractContextManager[None]:
        return store_faults(
            unusable=(
                f"The store {self.path} cannot be used",
                (
                    "see that the disk has space and that nothing else holds the file, then judge again: what is "
                    "stored is not asked again."
                ),
            ),
            damaged=(
                f"The store {self.path} is damaged",
                "restore the file from a copy, nothing in it was changed.",
            ),
            damage=(ValueError, TypeError, KeyError),
        )


def _reading(path: Path) -> str:
    """Return how to open a file so that nothing appears beside it, where nobody else has it open."""
    in_use = path.with_name(f"{path.name}-wal").exists()
    return "mode=ro" if in_use else "mode=ro&immutable=1"


def _from_row(row: tuple[Any, ...]) -> Judgment:
    *key, origin, text = row
    content = strict_json.loads(text)
    return Judgment(
        key=JudgmentKey(*key),
        answer=content["answer"],
        problem=content["problem"],
        reply=content["reply"],
        usage=Usage(**content["usage"]),
        source=content["source"],
        origin=origin,
        notes=tuple(content["notes"]),
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
