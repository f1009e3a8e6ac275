"""PDF files: what text is in them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.evaluators import pdf
from tests.suite.small_suite import SCENARIOS

if TYPE_CHECKING:
    from tests.evaluators.conftest import Desk

INVOICE = (SCENARIOS / "assets/office/invoices/quay-cleaning-55.pdf").read_bytes()


def test_parts_of_the_text_are_found_across_lines(desk: Desk) -> None:
    desk.put("a", INVOICE)
    assert desk.passes("pdf_text", contains=["Invoice 55 to Harbour School", "640.00"], pages=1)
    assert "a text with" in desk.check("pdf_text", contains=["Invoice 56"]).expected
    assert desk.check("pdf_text", contains=["Invoice 55"], excludes=["Quay"]).score == 0.0


def test_the_pages_are_counted(desk: Desk) -> None:
    desk.put("a", INVOICE)
    assert desk.check("pdf_text", contains=["Invoice 55"], pages=2).found == "1 pages"


def test_what_is_no_pdf_file_is_a_finding(desk: Desk) -> None:
    desk.put("a", "Invoice 55")
    assert "no readable one" in desk.check("pdf_text", contains=["Invoice 55"]).found


@pytest.mark.parametrize(("bound", "said"), [("MAX_CHARACTERS", "more than 10 characters"), ("MAX_PAGES", "1 pages")])
def test_no_more_is_read_than_a_task_can_have(
    bound: str, said: str, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, bound, 10 if bound == "MAX_CHARACTERS" else 0)
    desk.put("a", INVOICE)
    assert said in desk.check("pdf_text", contains=["Invoice 55"]).found


def test_a_page_is_read_for_a_bounded_time(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((0.0, 0.0, *([1000.0] * 10_000)))
    monkeypatch.setattr(pdf, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    desk.put("a", INVOICE)
    assert "its text takes longer than" in desk.check("pdf_text", contains=["Invoice 55"]).found
