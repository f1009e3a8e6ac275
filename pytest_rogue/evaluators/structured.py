"""Checks on single values in INI, JSON and CSV files, whatever stands around them."""

from __future__ import annotations

import configparser
import csv
import io
import json
from collections import Counter
from typing import Any, ClassVar, Literal

from pydantic import Field

from pytest_rogue.evaluators.jsonc import same_json
from pytest_rogue.evaluators.protocol import Evaluator, Finding, GuestReader
from pytest_rogue.evaluators.reading import NotTextError, first_difference, read_text
from pytest_rogue.suite.model import GuestPath

_MISSING = object()


class IniValue(Evaluator):
    """The value of a key in a section of an INI file; keys are compared with their case, values as text."""

    name: ClassVar[str] = "ini_value"

    path: GuestPath
    section: str
    key: str
    equals: str

    def look(self, reader: GuestReader) -> Finding:
        """Parse and compare."""
        expected = f"[{self.section}] {self.key} = {self.equals}"
        parser = configparser.ConfigParser(interpolation=None)
        parser.optionxform = str  # type: ignore[assignment,method-assign]  # the documented way to keep the case
        try:
            parser.read_string(read_text(reader, self.path))
        except (NotTextError, configparser.Error) as error:
            return Finding(0.0, expected, f"no readable INI file: {error}")
        if not parser.has_option(self.section, self.key):
            return Finding(0.0, expected, "no such key in that section")
        value = parser.get(self.section, self.key)
        return Finding.of(value == self.equals, expected=expected, found=repr(value))


class JsonValue(Evaluator):
    """The value at a dotted `key` of a JSON file, `editor.rulers.0` for instance, or without a key the whole of it.

    `equals` is compared with its type: `true` is not `1`, and `"1"` is not `1`, but `1` is `1.0`.
    """

    name: ClassVar[str] = "json_value"

    path: GuestPath
    key: str = ""
    equals: Any

    def look(self, reader: GuestReader) -> Finding:
        """Parse and compare."""
        expected = f"{self.key or 'all'} = {json.dumps(self.equals)}"
        try:
            value = json.loads(read_text(reader, self.path))
        except (NotTextError, ValueError, RecursionError) as error:
            return Finding(0.0, expected, f"no readable JSON file: {error}")
        for part in self.key.split(".") if self.key else ():
            value = _child(value, part)
        if value is _MISSING:
            return Finding(0.0, expected, "no such key")
        return Finding.of(same_json(value, self.equals), expected=expected, found=json.dumps(value))


class CsvRows(Evaluator):
    """All rows of a CSV file, the header included: in `sequence`, or in `any` order below the header.

    Blank lines, and spaces around a value, are ignored.
    """

    name: ClassVar[str] = "csv_rows"

    path: GuestPath
    rows: tuple[tuple[str, ...], ...] = Field(min_length=1)
    order: Literal["sequence", "any"] = "sequence"
    delimiter: str = Field(default=",", min_length=1, max_length=1)

    def look(self, reader: GuestReader) -> Finding:
        """Parse and compare."""
        try:
            found = _rows(read_text(reader, self.path), self.delimiter)
        except (NotTextError, csv.Error) as error:
            return Finding(0.0, f"{len(self.rows)} rows", f"no readable CSV file: {error}")
        wanted = [self.delimiter.join(row) for row in self.rows]
        there = [self.delimiter.join(row) for row in found]
        if self.order == "any" and wanted[:1] == there[:1] and Counter(wanted) == Counter(there):
            return Finding(1.0, f"{len(wanted)} rows", "these rows")
        expected, difference = first_difference(wanted, there)
        return Finding.of(list(self.rows) == found, expected=expected, found=difference)


class CsvCell(Evaluator):
    """One cell of a CSV file with a header: in `column`, in the one row whose columns have the values of `where`."""

    name: ClassVar[str] = "csv_cell"

    path: GuestPath
    column: str
    where: dict[str, str] = Field(min_length=1)
    equals: str
    delimiter: str = Field(default=",", min_length=1, max_length=1)

    def look(self, reader: GuestReader) -> Finding:
        """Parse and compare."""
        place = ", ".join(f"{column} = {value}" for column, value in self.where.items())
        expected = f"{self.column} = {self.equals!r} where {place}"
        try:
            rows = _rows(read_text(reader, self.path), self.delimiter)
        except (NotTextError, csv.Error) as error:
            return Finding(0.0, expected, f"no readable CSV file: {error}")
        header = rows[0] if rows else ()
        records = [dict(zip(header, row, strict=False)) for row in rows[1:]]
        matching = [record for record in records if self.where.items() <= record.items()]
        if len(matching) != 1:
            return Finding(0.0, expected, f"{len(matching) or 'no'} such rows")
        value = matching[0].get(self.column)
        return Finding.of(
            value == self.equals, expected=expected, found=repr(value) if value is not None else "no cell"
        )


def _child(value: Any, part: str) -> Any:
    if isinstance(value, dict):
        return value.get(part, _MISSING)
    if isinstance(value, list) and part.isdecimal() and int(part) < len(value):
        return value[int(part)]
    return _MISSING


def _rows(text: str, delimiter: str) -> list[tuple[str, ...]]:
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    return [tuple(value.strip() for value in row) for row in reader if row]
