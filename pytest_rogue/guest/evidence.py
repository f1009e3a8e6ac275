"""The evidence log: what the desktop itself saw happen, in order, each row chained to the one before."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

OWN_FIELDS = ("seq", "clock", "step", "event", "previous")
_FIRST_PREVIOUS = "0" * 64


class EvidenceLog:
    """Append-only and thread-safe. It is kept in memory and, where a path is given, as JSON lines.

    Args:
        path: a file that does not exist yet, or None to keep the rows in memory only.

    Raises:
        FileExistsError: there is such a file; a log is never mixed with another one.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._lock = threading.Lock()
        self._rows: list[dict[str, Any]] = []
        self._path = path
        if path is not None:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))

    def record(self, event: str, *, step: int, **facts: Any) -> dict[str, Any]:
        """Append a row and return it.

        Args:
            event: what happened, `obstacle.answered` for instance.
            step: agent step it happened in, 0 before the first.
            facts: further fields of the row; only what JSON can hold.

        Raises:
            TypeError: a fact cannot be written as JSON.
            ValueError: a fact is named like one of the row's own fields, or is NaN or infinite.
        """
        taken = [name for name in facts if name in OWN_FIELDS]
        if taken:
            raise ValueError(f"a row of the evidence has its own field {taken[0]!r}; name the fact differently")
        with self._lock:
            return dict(self._append(event, step, facts))

    def since(self, seq: int) -> list[dict[str, Any]]:
        """Return the rows after row number `seq`; rows are numbered from 1, so 0 asks for all."""
        with self._lock:
            return [dict(row) for row in self._rows[max(0, seq) :]]

    def _append(self, event: str, step: int, facts: Mapping[str, Any]) -> dict[str, Any]:
        row = {
            "seq": len(self._rows) + 1,
            "clock": time.monotonic(),
            "step": step,
            "event": event,
            **facts,
            "previous": _digest(self._rows[-1]) if self._rows else _FIRST_PREVIOUS,
        }
        line = _as_json(row)
        kept: dict[str, Any] = json.loads(line)  # what a reader gets is what was hashed: tuples have become lists
        self._rows.append(kept)
        if self._path is not None:
            try:
                with self._path.open("a", encoding="ascii") as file:
                    file.write(line + "\n")
            except OSError as error:
                self._path = None
                self._append("evidence.file_lost", step, {"problem": str(error)})
        return kept


def verify_chain(rows: Iterable[Mapping[str, Any]]) -> None:
    """Check that `rows` are a whole log from its first row on, unchanged and in order.

    Raises:
        ValueError: names the first row that is missing or does not follow from the row before.
    """
    previous = _FIRST_PREVIOUS
    for number, row in enumerate(rows, start=1):
        if row.get("seq") != number:
            raise ValueError(f"row {number} of the evidence is missing: row {row.get('seq')!r} stands in its place")
        if row.get("previous") != previous:
            raise ValueError(
                f"row {number} of the evidence does not follow from the row before; one of them was changed"
            )
        previous = _digest(row)


def _digest(row: Mapping[str, Any]) -> str:
    return hashlib.sha256(_as_json(row).encode()).hexdigest()


def _as_json(row: Mapping[str, Any]) -> str:
    return json.dumps(row, sort_keys=True, separators=(",", ":"), allow_nan=False)
