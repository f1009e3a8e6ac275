"""Formulas that were written by a program which does not calculate get their values from the desktop's LibreOffice."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import openpyxl
import pytest

from pytest_rogue.evaluators.office import SpreadsheetCells

if TYPE_CHECKING:
    from pytest_rogue.desktops.docker import DockerDesktop

pytestmark = pytest.mark.docker


def test_a_formula_without_a_value_is_calculated_and_leaves_the_workbook_as_it_was(desktop: DockerDesktop) -> None:
    book = openpyxl.Workbook()
    for place, value in {"A1": 2, "A2": 5, "B1": "=SUM(A1:A2)", "B2": "=NOSUCH(1)"}.items():
        book.active[place] = value
    file = io.BytesIO()
    book.save(file)
    desktop.guest.write_file("/home/user/sums.xlsx", file.getvalue())

    right = SpreadsheetCells(path="~/sums.xlsx", cells={"B1": 7}, formulas=("B1",)).look(desktop.guest)
    assert right.score == 1.0, right
    wrong = SpreadsheetCells(path="~/sums.xlsx", cells={"B1": 8, "B2": 1}).look(desktop.guest)
    assert (wrong.score, wrong.found) == (0.0, "B1 is 7, not 8, B2 is '#NAME?', not 1")
    assert desktop.guest.read_file("/home/user/sums.xlsx") == file.getvalue()
