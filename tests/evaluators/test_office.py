"""Cells of workbooks; `tests/docker/test_recalculation.py` has the formulas that nobody has calculated yet."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest

from pytest_rogue.errors import TaskError
from pytest_rogue.evaluators.evaluate import evaluate
from pytest_rogue.evaluators.registry import validate_check, why_not_checked
from pytest_rogue.outcome import Ending
from pytest_rogue.suite.model import Check, Task

if TYPE_CHECKING:
    from tests.evaluators.conftest import Desk

PATH = "~/a.xlsx"


def workbook(cells: dict[str, Any], sheet: str = "Stock") -> bytes:
    book = openpyxl.Workbook()
    table = book.active
    table.title = sheet
    for place, value in cells.items():
        table[place] = value
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def calculated(data: bytes, formula: str, value: str) -> bytes:
    """Return a workbook in which a formula has the value that a program has calculated."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            # An empty element is written in either form, by what XML library is there.
            empty = re.compile(re.escape(f"<f>{formula}</f>").encode() + rb"<v\s*(?:/>|></v>)")
            new.writestr(name, empty.sub(f"<f>{formula}</f><v>{value}</v>".encode(), old.read(name)))
    return file.getvalue()


def test_numbers_texts_and_dates_are_compared_by_value(desk: Desk) -> None:
    desk.put("a.xlsx", workbook({"A1": "chalk ", "B1": 0.1 + 0.2, "C1": dt.date(2025, 3, 31), "D1": True}))
    assert desk.passes("spreadsheet_cells", path=PATH, cells={"A1": "chalk", "B1": 0.3, "C1": "2025-03-31", "D1": True})
    assert desk.check("spreadsheet_cells", path=PATH, cells={"B1": 0.31}).found.startswith("B1 is 0.3")
    assert not desk.passes("spreadsheet_cells", path=PATH, cells={"D1": 1})
    assert not desk.passes("spreadsheet_cells", path=PATH, cells={"B1": "0.3"})


def test_an_empty_cell_is_told_as_empty(desk: Desk) -> None:
    desk.put("a.xlsx", workbook({"A1": "chalk"}))
    assert desk.check("spreadsheet_cells", path=PATH, cells={"B7": 1}).found == "B7 is empty, not 1"


def test_a_formula_counts_with_the_value_that_was_saved(desk: Desk) -> None:
    desk.put("a.xlsx", calculated(workbook({"A1": 2, "A2": "=A1*3"}), "A1*3", "6"))
    assert desk.passes("spreadsheet_cells", path=PATH, cells={"A2": 6}, formulas=["A2"])


def test_a_result_is_no_formula_where_one_is_asked_for(desk: Desk) -> None:
    desk.put("a.xlsx", workbook({"A2": 6}))
    result = desk.check("spreadsheet_cells", path=PATH, cells={"A2": 6}, formulas=["A2"])
    assert (result.score, result.expected, result.found) == (0.0, "a formula in A2", "6")


@pytest.mark.parametrize("converter", ["false", "true"])
def test_a_formula_that_cannot_be_calculated_gives_no_score(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, converter: str
) -> None:
    monkeypatch.setattr("pytest_rogue.evaluators.office.CONVERTER", converter)
    desk.put("a.xlsx", workbook({"A1": 2, "A2": "=A1*3"}))
    check = Check(evaluator="spreadsheet_cells", args={"path": PATH, "cells": {"A2": 6}})
    task = Task(id="t", instruction="Do it.", checks=(check,), solution=("pass",))
    evaluation = evaluate(task, desk.reader, ending=Ending.DONE)
    assert evaluation.score is None
    assert "the formulas of ~/a.xlsx have no values" in evaluation.reason


def test_the_sheet_is_found_by_its_name(desk: Desk) -> None:
    desk.put("a.xlsx", workbook({"A1": 1}))
    assert desk.passes("spreadsheet_cells", path=PATH, sheet="Stock", cells={"A1": 1})
    assert "there is Stock" in desk.check("spreadsheet_cells", path=PATH, sheet="Fees", cells={"A1": 1}).found


@pytest.mark.parametrize("data", [b"", b"PK\3\4 torn", b"<html></html>"])
def test_what_is_no_workbook_is_a_finding(desk: Desk, data: bytes) -> None:
    desk.put("a.xlsx", data)
    assert "no readable workbook" in desk.check("spreadsheet_cells", path=PATH, cells={"A1": 1}).found


def test_a_workbook_that_would_fill_the_memory_is_not_unpacked(desk: Desk) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("xl/workbook.xml", b"0" * (65 * 1024 * 1024))
    desk.put("a.xlsx", file.getvalue())
    assert "more than 67,108,864 bytes" in desk.check("spreadsheet_cells", path=PATH, cells={"A1": 1}).found


@pytest.mark.parametrize("cells", [{}, {"A1": ""}, {"A1:B2": 1}, {"a1": 1}, {"A1": None}])
def test_a_check_that_could_never_fail_or_pass_is_refused_with_the_task(cells: dict[str, Any]) -> None:
    with pytest.raises(TaskError):
        validate_check(Check(evaluator="spreadsheet_cells", args={"path": PATH, "cells": cells}))


@pytest.mark.parametrize(
    ("evaluator", "args", "library"),
    [
        ("spreadsheet_cells", {"path": PATH, "cells": {"A1": 1}}, "openpyxl"),
        ("pdf_text", {"path": "~/a.pdf", "contains": ["Total"]}, "pypdf"),
    ],
)
def test_a_missing_library_is_told_with_the_line_that_installs_it_and_the_task_loads(
    monkeypatch: pytest.MonkeyPatch, evaluator: str, args: dict[str, Any], library: str
) -> None:
    check = Check(evaluator=evaluator, args=args)
    assert not why_not_checked([check])

    monkeypatch.setattr("pytest_rogue.evaluators.libraries.find_spec", lambda _: None)

    validate_check(check)
    assert why_not_checked([check]) == f"it needs the Python package {library}: pip install 'pytest-rogue[documents]'"
