"""The metric on spreadsheets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from pytest_rogue.evaluators.libraries import require
from pytest_rogue.evaluators.office import read_workbook
from pytest_rogue.evaluators.office_parts import UnreadableDocument
from pytest_rogue.evaluators.protocol import Finding
from pytest_rogue.published.metrics.comparison import (
    Comparison,
    NothingComparable,
    Rules,
    file_of,
    read_expected,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rogue.published.protocol import Convention, Fetched

MAX_CELLS = 1_000_000
"""Of one sheet, empty ones between others too."""

_DIGITS = 4

_Place = Annotated[str, Field(pattern=r"^(RI|EI)[0-9]{1,3}$")]
SheetIndex = Annotated[int, Field(ge=0, lt=1000)] | _Place
"""A sheet by its number from 0: of the result's workbook (`0`, `RI0`) or of the expected one (`EI0`)."""


_Cells = dict[tuple[int, int], tuple[str, Any]]
"""Kind and value by row and column."""


class _SheetData(Rules):
    type: Literal["sheet_data"]
    sheet_idx0: SheetIndex
    sheet_idx1: SheetIndex


class CompareTable(Comparison):
    """The cells of two sheets hold the same values, each in its place; numbers are rounded to four digits.

    A formula counts by the value that the program has saved with it. The published benchmark compares so, too.
    """

    func: ClassVar[str] = "compare_table"

    sheets: tuple[_SheetData, ...] = Field(alias="rules", min_length=1)

    @model_validator(mode="after")
    def _readable(self) -> CompareTable:
        require("openpyxl")
        return self

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:  # noqa: ARG002 - no defect is mended here
        """Compare sheet by sheet, cell by cell."""
        found, gold = file_of(result), file_of(expected)
        books = {"R": (found, _book(found)), "E": (gold, read_expected(_book, gold))}
        for rule in self.sheets:
            there, wanted = (_sheet(books, index) for index in (rule.sheet_idx0, rule.sheet_idx1))
            for place in sorted(there.keys() | wanted.keys()):
                if there.get(place) != wanted.get(place):
                    name = f"row {place[0]}, column {place[1]}"
                    return Finding(0.0, f"{name}: {_told(wanted.get(place))}", _told(there.get(place)))
        return Finding(1.0, f"the cells of {gold.name}", "they")


def _book(file: Fetched) -> Any:
    try:
        return read_workbook(file.data, values=True)
    except UnreadableDocument as error:
        raise NothingComparable(f"{file.name}: {error}") from error


def _sheet(books: Mapping[str, tuple[Fetched, Any]], index: int | str) -> _Cells:
    whose, number = ("R", index) if isinstance(index, int) else (index[0], int(index[2:]))
    file, book = books[whose]
    if whose == "R":
        return _cells(file, book, number)
    return read_expected(lambda gold: _cells(gold, book, number), file)


def _cells(file: Fetched, book: Any, number: int) -> _Cells:
    """Return what each cell of a sheet holds that holds something."""
    if number >= len(book.worksheets):
        raise NothingComparable(f"{file.name}: {len(book.worksheets)} sheets, none numbered {number}")
    sheet = book.worksheets[number]
    if sheet.max_row * sheet.max_column > MAX_CELLS:
        raise NothingComparable(f"{file.name}: more than {MAX_CELLS:,} cells")
    return {
        (cell.row, cell.column): _rounded(cell.value)
        for row in sheet.iter_rows()
        for cell in row
        if cell.value not in (None, "")
    }


def _rounded(value: Any) -> tuple[str, Any]:
    """Return a value with its kind, so that neither `5` nor true is 5."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number", round(value, _DIGITS)
    return type(value).__name__, value


def _told(cell: tuple[str, Any] | None) -> str:
    return "nothing" if cell is None else shown(cell[1])
