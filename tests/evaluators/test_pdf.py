"""PDF files: what text is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
