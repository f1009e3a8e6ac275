"""Checks on spreadsheets. A formula that no program has calculated yet is calculated in the desktop, on a copy."""

from __future__ import annotations

import datetime as dt
import io
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field, StrictBool, StrictFloat, StrictInt, StrictStr, field_validator, model_validator

from pytest_rogue.errors import GuestFault, GuestFileMissing
from pytest_rogue.evaluators.office_parts import UnreadableDocument, check_parts
from pytest_rogue.evaluators.protocol import Evaluator, Finding, GuestReader
from pytest_rogue.suite.model import HOME, GuestPath

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

RECALCULATION_SECONDS = 180.0
"""A first start of LibreOffice takes seconds, on a busy machine minutes."""
CONVERTER = "soffice"

_ADDRESS = re.compile(r"[A-Z]{1,3}[1-9][0-9]{0,6}")

Value = StrictBool | StrictInt | StrictFloat | StrictStr


class SpreadsheetCells(Evaluator):
    """Cells of an .xlsx workbook, by address; of its first sheet where `sheet` is not given.

    Numbers are compared within `tolerance`, text without the spaces around it, a date as `2025-03-31`. The cells in
    `formulas` have to hold a formula, not only its result. The file counts as it was saved.
    """

    name: ClassVar[str] = "spreadsheet_cells"
    library: ClassVar[str] = "openpyxl"

    path: GuestPath
    sheet: str | None = None
    cells: dict[str, Value] = Field(min_length=1)
    formulas: tuple[str, ...] = ()
    tolerance: float = Field(default=1e-6, ge=0)

    @field_validator("cells")
    @classmethod
    def _cells_hold_something(cls, cells: dict[str, Value]) -> dict[str, Value]:
        if any(value == "" for value in cells.values()):
            raise ValueError("a cell is expected to hold something: an empty text cannot be told from no cell")
        return cells

    @model_validator(mode="after")
    def _places_are_cells(self) -> SpreadsheetCells:
        for place in (*self.cells, *self.formulas):
            if not _ADDRESS.fullmatch(place):
                raise ValueError(f"{place!r} is no address of one cell, as C7 is")
        return self

    def look(self, reader: GuestReader) -> Finding:
        """Read formulas and values, have the values calculated where they are missing, compare."""
        expected = ", ".join(f"{place} = {wanted!r}" for place, wanted in self.cells.items())
        data = reader.read_file(self.path)
        try:
            written = _cells(data, self.sheet, {*self.cells, *self.formulas}, values=False)
            for place in self.formulas:
                if not _is_formula(written[place]):
                    return Finding(0.0, f"a formula in {place}", _shown(written[place]))
            values = _cells(data, self.sheet, self.cells, values=True)
            if any(_is_formula(written[place]) and values[place] is None for place in self.cells):
                values = _cells(_recalculated(reader, self.path), self.sheet, self.cells, values=True)
        except UnreadableDocument as error:
            return Finding(0.0, expected, str(error))
        told = [
            f"{place} is {_shown(values[place])}, not {wanted!r}"
            for place, wanted in self.cells.items()
            if not self._equal(wanted, values[place])
        ]
        return Finding.of(not told, expected=expected, found=", ".join(told) or "these values")

    def _equal(self, wanted: Value, found: Any) -> bool:
        if isinstance(wanted, bool) or isinstance(found, bool):
            return wanted is found
        if isinstance(wanted, str):
            return isinstance(found, str) and found.strip() == wanted.strip()
        return isinstance(found, int | float) and abs(found - wanted) <= self.tolerance


def read_workbook(data: bytes, *, values: bool) -> Any:
    """Return a workbook of openpyxl, whose cells hold their `values` or else what was written into them.

    Raises:
        UnreadableDocument: it is none, or larger than is read.
    """
    import openpyxl

    check_parts(data, "workbook")
    try:
        return openpyxl.load_workbook(io.BytesIO(data), data_only=values)
    except Exception as error:
        # The file is the agent's, and openpyxl raises whatever its parts raise.
        raise UnreadableDocument(f"no readable workbook: {type(error).__name__}: {error}") from error


def _cells(data: bytes, sheet: str | None, places: Iterable[str], *, values: bool) -> Mapping[str, Any]:
    """Return what cells hold: their `values`, None for a formula without one, or else what was written into them."""
    sheets = read_workbook(data, values=values).worksheets
    chosen = [table for table in sheets if sheet in (None, table.title)]
    if not chosen:
        raise UnreadableDocument(f"no sheet {sheet!r}; there is {', '.join(table.title for table in sheets)}")
    return {place: _plain(chosen[0][place].value) for place in places}


def _plain(value: Any) -> Any:
    """Return a date as text; a time of midnight is only a cell's form."""
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, dt.date | dt.time) else value


def _is_formula(value: Any) -> bool:
    return (isinstance(value, str) and value.startswith("=")) or type(value).__name__ in {
        "ArrayFormula",
        "DataTableFormula",
    }


def _shown(value: Any) -> str:
    return "empty" if value is None else repr(value)


def _recalculated(reader: GuestReader, path: str) -> bytes:
    """Return a copy of a workbook in which LibreOffice has calculated all formulas.

    Raises:
        GuestFault: it could not be calculated, so that its values cannot be told.
    """
    folder = _run(reader, ["mktemp", "--directory"], path).strip()
    source = HOME / path.removeprefix("~/") if path.startswith("~/") else PurePosixPath(path)
    # With a profile of its own it neither asks nor disturbs the LibreOffice that the agent may have open.
    profile = f"-env:UserInstallation=file://{folder}/profile"
    convert = [CONVERTER, profile, "--headless", "--norestore", "--convert-to", "xlsx:Calc MS Excel 2007 XML"]
    try:
        _run(reader, [*convert, "--outdir", f"{folder}/calculated", str(source)], path)
        return reader.read_file(f"{folder}/calculated/{source.with_suffix('.xlsx').name}")
    except GuestFileMissing as missing:
        raise GuestFault(f"the formulas of {path} have no values, and {CONVERTER} made no copy that has") from missing
    finally:
        _run(reader, ["rm", "-r", folder], path)


def _run(reader: GuestReader, command: list[str], path: str) -> str:
    done = reader.run(command, timeout=RECALCULATION_SECONDS)
    if done.timed_out or done.exit_code != 0:
        why = f"it took longer than {RECALCULATION_SECONDS:g} s" if done.timed_out else done.stderr.strip()[:200]
        raise GuestFault(f"the formulas of {path} have no values, and {command[0]} did not calculate them: {why}")
    return done.stdout
