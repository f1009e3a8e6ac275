"""Metrics on documents, spreadsheets and pictures: real files, made here."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any

import docx
import openpyxl
import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from pytest_rogue.errors import InfraError
from tests.published.judging import file, gold, judged, score

if TYPE_CHECKING:
    from collections.abc import Callable


def pdf(*pages: str) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out)
    for page in pages:
        for number, line in enumerate(page.splitlines()):
            canvas.drawString(72, 720 - 20 * number, line)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def word(*paragraphs: str) -> bytes:
    document, out = docx.Document(), io.BytesIO()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    document.save(out)
    return out.getvalue()


def workbook(*sheets: dict[str, Any]) -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for cells in sheets:
        sheet = book.create_sheet()
        for place, value in cells.items():
            sheet[place] = value
    book.save(out)
    return out.getvalue()


def picture(*pixels: tuple[int, ...], mode: str = "RGBA") -> bytes:
    image, out = Image.new(mode, (len(pixels), 1)), io.BytesIO()
    for x, pixel in enumerate(pixels):
        image.putpixel((x, 0), pixel)
    image.save(out, "PNG")
    return out.getvalue()


def test_the_text_of_a_pdf_file_counts_and_not_its_bytes() -> None:
    assert score("compare_pdfs", file(pdf("Invoice 55\nDue: 640.00")), gold(pdf("Invoice 55\nDue: 640.00"))) == 1.0
    assert 0.5 < score("compare_pdfs", file(pdf("Invoice 56")), gold(pdf("Invoice 55"))) < 1.0


def test_lines_of_a_pdf_file_may_break_elsewhere_but_for_upstream() -> None:
    one, other = file(pdf("Invoice 55 due")), gold(pdf("Invoice 55\ndue"))
    assert score("compare_pdfs", one, other) == 1.0
    assert score("compare_pdfs", one, other, convention="upstream") < 1.0


def test_several_pdf_files_are_compared_one_by_one() -> None:
    wanted = [gold(pdf("a bill")), gold(pdf("a receipt"))]
    assert score("compare_pdfs", [file(pdf("a bill")), file(pdf("a receipt"))], wanted) == 1.0
    assert score("compare_pdfs", [file(pdf("a receipt")), file(pdf("a bill"))], wanted) < 1.0


def test_a_missing_file_costs_the_score_and_upstream_lets_the_others_count() -> None:
    wanted = [gold(pdf("a bill")), gold(pdf("a receipt"))]
    told = judged("compare_pdfs", [file(pdf("a bill")), None], wanted)
    assert (told.score, told.found) == (0.0, "no file to compare with gold")
    assert score("compare_pdfs", [file(pdf("a bill")), None], wanted, convention="upstream") == 0.5
    assert score("compare_pdfs", [file(pdf("a bill")), file(b"")], wanted, convention="upstream") == 0.5


def test_pdf_files_without_text_cannot_be_compared_and_upstream_takes_them_for_the_same() -> None:
    with pytest.raises(InfraError, match="no text to compare"):
        score("compare_pdfs", file(pdf("")), gold(pdf("")))
    assert score("compare_pdfs", file(pdf("")), gold(pdf("")), convention="upstream") == 1.0
    assert score("compare_pdfs", file(pdf("")), gold(pdf("a"))) == 0.0


def test_a_word_file_has_the_same_text_however_it_is_broken_up() -> None:
    wanted = gold(word("Introduction", "We report."))
    assert score("compare_docx_files", file(word("Introduction  We", "report.")), wanted, content_only=True) == 1.0
    assert 0.5 < score("compare_docx_files", file(word("Introduction")), wanted, content_only=True) < 1.0
    assert score("compare_docx_files", file(word("Introduction")), wanted) == 0.0


def test_word_files_without_text_cannot_be_compared_and_upstream_takes_them_for_the_same() -> None:
    with pytest.raises(InfraError, match="no text to compare"):
        score("compare_docx_files", file(word()), gold(word()))
    assert score("compare_docx_files", file(word()), gold(word()), convention="upstream") == 1.0


SHEETS = {"rules": [{"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "EI0"}]}
CELLS = {"A1": "Date", "B1": "Sum", "A2": "2025-03-31", "B2": 640.00001}


def test_the_cells_of_two_sheets_are_compared() -> None:
    assert score("compare_table", file(workbook(CELLS)), gold(workbook(CELLS | {"B2": 640})), **SHEETS) == 1.0
    told = judged("compare_table", file(workbook(CELLS | {"B2": 641})), gold(workbook(CELLS)), **SHEETS)
    assert (told.score, told.expected, told.found) == (0.0, "row 2, column 2: 640.0", "641")


@pytest.mark.parametrize("cells", [CELLS | {"C9": "more"}, CELLS | {"B2": "640"}, {"A1": "Date"}, {"A1": True}])
def test_a_cell_more_or_less_or_of_another_kind_is_wrong(cells: dict[str, Any]) -> None:
    assert score("compare_table", file(workbook(cells)), gold(workbook(CELLS)), **SHEETS) == 0.0


def test_a_sheet_is_named_by_workbook_and_number() -> None:
    found, wanted = file(workbook({"A1": "draft"}, CELLS)), gold(workbook(CELLS))
    second = {"rules": [{"type": "sheet_data", "sheet_idx0": "RI1", "sheet_idx1": "EI0"}]}
    assert score("compare_table", found, wanted, **second) == 1.0
    assert score("compare_table", found, wanted, **SHEETS) == 0.0
    assert "none numbered 1" in judged("compare_table", wanted, wanted, **second).found


def test_a_sheet_that_the_tasks_own_workbook_lacks_is_a_fault() -> None:
    second = {"rules": [{"type": "sheet_data", "sheet_idx0": "RI0", "sheet_idx1": "EI1"}]}
    with pytest.raises(InfraError, match="none numbered 1"):
        score("compare_table", file(workbook(CELLS)), gold(workbook(CELLS)), **second)


def test_a_sheet_of_a_million_empty_cells_is_not_read() -> None:
    far = file(workbook({"A1": 1, "XFD1000": 1}))
    assert "more than 1,000,000 cells" in judged("compare_table", far, gold(workbook(CELLS)), **SHEETS).found


def with_part(data: bytes, ends: str, change: Callable[[bytes], bytes]) -> bytes:
    """Return a document in which the part whose name ends so is changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(old.read(name)) if name.endswith(ends) else old.read(name))
    return out.getvalue()


def bomb(part: bytes, encoding: str = "utf-8") -> bytes:
    """Return a part in which the entities of a document type grow to a billion letters where they are expanded."""
    grown = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    text = part.decode().partition("?>")[2] if part.startswith(b"<?xml") else part.decode()
    named = text.replace("Sum", "&e9;").replace("a report", "&e9;")
    return f'<!DOCTYPE any [<!ENTITY e0 "a">{grown}]>{named}'.encode(encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(("func", "part"), [("compare_table", ".xml"), ("compare_docx_files", "document.xml")])
def test_a_document_with_entities_of_its_own_is_not_read(func: str, part: str, encoding: str) -> None:
    whole, options = RIGHT[func]
    armed = file(with_part(whole, part, lambda data: bomb(data, encoding)))
    assert "with a document type or in UTF-16" in judged(func, armed, gold(whole), **options).found


def test_a_sheet_of_more_cells_than_a_task_has_is_not_read() -> None:
    cells = b"<sheetData><row>" + b"<c/>" * 1_000_001
    armed = with_part(workbook(CELLS), "sheet1.xml", lambda data: data.replace(b"<sheetData>", cells))
    assert "more than 1,000,000 elements" in judged("compare_table", file(armed), gold(workbook(CELLS)), **SHEETS).found


@pytest.mark.parametrize("cells", [b"A1:XFD1048576", b"&#65;1:XFD1048576"], ids=["plain", "disguised"])
def test_a_sheet_of_which_all_cells_are_merged_is_not_read(cells: bytes) -> None:
    merged = b'</sheetData><mergeCells count="1"><mergeCell ref="' + cells + b'"/></mergeCells>'
    armed = with_part(workbook(CELLS), "sheet1.xml", lambda data: data.replace(b"</sheetData>", merged))
    assert "100,000 merged cells" in judged("compare_table", file(armed), gold(workbook(CELLS)), **SHEETS).found


def test_a_sheet_with_some_merged_cells_is_compared() -> None:
    merged = b'</sheetData><mergeCells count="1"><mergeCell ref="C1:D9"/></mergeCells>'
    whole = with_part(workbook(CELLS), "sheet1.xml", lambda data: data.replace(b"</sheetData>", merged))
    assert score("compare_table", file(whole), gold(workbook(CELLS)), **SHEETS) == 1.0


RED, BLUE = (255, 0, 0, 255), (0, 0, 255, 255)


def test_pictures_are_compared_by_their_pixels() -> None:
    assert score("compare_image_list", [file(picture(RED, BLUE))], [gold(picture(RED, BLUE))]) == 1.0
    assert score("compare_image_list", [file(picture(RED[:3], mode="RGB"))], [gold(picture(RED))]) == 1.0


def test_opaque_pictures_differ_in_their_colours_but_for_upstream() -> None:
    assert score("compare_image_list", file(picture(RED)), gold(picture(BLUE))) == 0.0
    assert score("compare_image_list", file(picture(RED)), gold(picture(BLUE)), convention="upstream") == 1.0


@pytest.mark.parametrize("convention", ["ours", "upstream"])
def test_a_missing_picture_is_not_passed_over(convention: str) -> None:
    wanted = [gold(picture(RED)), gold(picture(BLUE))]
    assert score("compare_image_list", [file(picture(RED)), None], wanted, convention=convention) == 0.0


RIGHT: dict[str, tuple[bytes, dict[str, Any]]] = {
    "compare_pdfs": (pdf("a bill"), {}),
    "compare_docx_files": (word("a report"), {"content_only": True}),
    "compare_table": (workbook(CELLS), SHEETS),
    "compare_image_list": (picture(RED), {}),
}


@pytest.mark.parametrize("func", RIGHT)
@pytest.mark.parametrize("cut", [0, 20])
def test_a_broken_file_of_the_agents_scores_nothing_and_one_of_the_tasks_is_a_fault(func: str, cut: int) -> None:
    whole, options = RIGHT[func]
    broken = whole[:cut]
    assert score(func, file(whole), gold(whole), **options) == 1.0
    assert "no readable" in judged(func, file(broken), gold(whole), **options).found
    with pytest.raises(InfraError, match="downloaded again"):
        score(func, file(whole), gold(broken), **options)


@pytest.mark.parametrize("func", ["compare_docx_files", "compare_table"])
def test_a_file_that_would_fill_the_memory_is_not_unpacked(func: str) -> None:
    whole, options = RIGHT[func]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("word/document.xml", bytes(80 * 1024 * 1024))
    assert "more than" in judged(func, file(out.getvalue()), gold(whole), **options).found
