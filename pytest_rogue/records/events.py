"""The events of an episode: JSON lines, only ever appended, readable after any crash."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import RecordError
from pytest_rogue.records import strict_json
from pytest_rogue.records.disk import writing_in

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


_BINARY = getattr(os, "O_BINARY", 0)
"""Windows would change line ends without it."""


@dataclass(frozen=True, slots=True)
class Events:
    """What a file of events holds.

    Attributes:
        rows: the events, oldest first.
        warnings: one sentence for everything that was left out.
    """

    rows: tuple[dict[str, Any], ...]
    warnings: tuple[str, ...] = ()


class EventWriter:
    """Appends events to a file, one `write` call a line, so that a killed process leaves at most one torn line.

    A torn line that is already there is moved aside to `<file>.torn`; the whole records before it stay.

    Args:
        path: the file; it is made where it is missing.

    Raises:
        InfraError: the disk is full or the folder cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with writing_in(path.parent):
            self._mend_tail()
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _BINARY, 0o644)

    def append(self, row: Mapping[str, Any]) -> None:
        """Append one event as strict JSON without secrets.

        Raises:
            InfraError: the disk is full; what was written before stays readable.
        """
        line = strict_json.dumps(row).encode() + b"\n"
        with writing_in(self.path.parent):
            before = os.fstat(self._file).st_size
            try:
                _write_whole(self._file, line)
            except OSError:
                os.ftruncate(self._file, before)  # half an event is no event, and the next one needs its own line
                raise

    def close(self) -> None:
        """Close the file; may be called again."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _mend_tail(self) -> None:
        if not self.path.exists():
            return
        data = self.path.read_bytes()
        end_of_lines = data.rfind(b"\n") + 1
        tail = data[end_of_lines:]
        if not tail:
            return
        good, _rows = _whole_records(tail)
        torn = tail[good:]
        if torn.strip():
            with self.path.with_name(f"{self.path.name}.torn").open("ab") as aside:
                aside.write(torn + b"\n")
        with self.path.open("r+b") as file:
            file.truncate(end_of_lines + good)
            if good:
                file.seek(0, os.SEEK_END)
                file.write(b"\n")


def read_events(path: Path, *, skip_damaged: bool = False) -> Events:
    """Read a file of events, also while it is being written.

    A torn last line is left out with a warning; records glued together on one line are taken apart.

    Args:
        path: the file.
        skip_damaged: True to leave out any damaged line with a warning: for who shows a record, not who counts on it.

    Raises:
        RecordError: there is no such file, or a line other than the last is damaged.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RecordError(f"The events in {path} cannot be read: {error.strerror}.") from error
    *lines, tail = data.split(b"\n")
    rows: list[dict[str, Any]] = []
    warnings: list[str] = []
    for number, line in enumerate(lines, start=1):
        good, found = _whole_records(line)
        if line[good:].strip() and skip_damaged:
            warnings.append(f"{path}:{number}: the line is damaged, {len(line[good:])} bytes were left out.")
        elif line[good:].strip():
            raise RecordError(
                f"{path}:{number}: the line is damaged (not a JSON object at byte {good + 1}); "
                "mend or remove this line, the others are not touched."
            )
        rows += found
    good, found = _whole_records(tail)
    rows += found
    torn = tail[good:].strip()
    if torn:
        warnings.append(f"{path}:{len(lines) + 1}: the last line is torn, {len(torn)} bytes were left out.")
    return Events(tuple(rows), tuple(warnings))


def _whole_records(line: bytes) -> tuple[int, list[dict[str, Any]]]:
    """Return how many bytes of `line` are whole records, and those."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        text = line[: error.start].decode()
    rows, place = strict_json.leading_objects(text)
    return place if text.isascii() else len(text[:place].encode()), rows


def _write_whole(file: int, data: bytes) -> None:
    written = os.write(file, data)
    while written < len(data):  # only a disk that is nearly full or a signal cuts a write
        written += os.write(file, data[written:])
