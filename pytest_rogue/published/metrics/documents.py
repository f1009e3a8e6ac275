"""Metrics on documents: the text of PDF and Word files."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, ClassVar

from pydantic import model_validator

from pytest_rogue.errors import InfraError
from pytest_rogue.evaluators.libraries import require
from pytest_rogue.evaluators.office_parts import UnreadableDocument, check_parts
from pytest_rogue.evaluators.pdf import MAX_CHARACTERS, page_texts
from pytest_rogue.evaluators.protocol import Finding
from pytest_rogue.published.metrics.comparison import (
    Comparison,
    NothingComparable,
    file_of,
    pairs,
    present,
    read_expected,
)

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Convention, Fetched


class ComparePdfs(Comparison):
    """How alike the texts of PDF files are, from 0 to 1; only 1.0 counts as solved.

    Spaces and line ends are taken as one space, since the lines of a page are those of the program that made it.
    Where one of several is missing or cannot be read, the score is 0. Upstream compares them as they are, takes two
    files without any text for the same, and lets those that are there count.
    """

    func: ClassVar[str] = "compare_pdfs"

    @model_validator(mode="after")
    def _readable(self) -> ComparePdfs:
        require("pypdf")
        require("rapidfuzz")
        return self

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:
        """Compare file by file."""
        scores = []
        for there, gold in pairs(result, expected):
            wanted = read_expected(_pdf_text, gold)
            try:
                scores.append(_alike(wanted, _pdf_text(present(there, gold)), gold.name, convention))
            except NothingComparable:
                if convention == "ours":
                    raise
                scores.append(0.0)
        return _found(sum(scores) / len(scores), f"the text of {len(scores)} PDF files")


class CompareDocxFiles(Comparison):
    """Whether the paragraphs of two Word files have the same text; with `content_only`, how alike they are.

    Only 1.0 counts as solved. Spaces and ends of paragraphs are taken as one space. Upstream takes two files without
    any text for the same.
    """

    func: ClassVar[str] = "compare_docx_files"

    content_only: bool = False

    @model_validator(mode="after")
    def _readable(self) -> CompareDocxFiles:
        require("docx")
        require("rapidfuzz")
        return self

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:
        """Compare the texts."""
        gold = file_of(expected)
        wanted = read_expected(_docx_text, gold)
        score = _alike(wanted, _docx_text(file_of(result)), gold.name, convention, joined=True)
        return _found(score if self.content_only or score == 1.0 else 0.0, "the text of a Word file")


def _alike(wanted: str, found: str, name: str, convention: Convention, *, joined: bool = False) -> float:
    from rapidfuzz import fuzz

    if convention == "ours" or joined:
        wanted, found = " ".join(wanted.split()), " ".join(found.split())
    if convention == "ours" and not wanted:
        raise InfraError(f"the file that the task expects, {name}, has no text to compare with")
    return float(fuzz.ratio(wanted, found)) / 100


def _found(score: float, what: str) -> Finding:
    return Finding(score, what, "the same" if score == 1.0 else f"alike to {score:.3f}")


def _pdf_text(file: Fetched) -> str:
    try:
        return "\n".join(page_texts(file.data)).strip()
    except Exception as error:  # the file may be the agent's, and pypdf raises whatever its parts raise
        raise NothingComparable(f"{file.name}: no readable PDF file: {type(error).__name__}: {error}") from error


def _docx_text(file: Fetched) -> str:
    from docx import Document

    try:
        check_parts(file.data, "Word file")
        paragraphs = Document(io.BytesIO(file.data)).paragraphs
        text = "\n".join(paragraph.text for paragraph in paragraphs)
    except UnreadableDocument as error:
        raise NothingComparable(f"{file.name}: {error}") from error
    except Exception as error:  # likewise
        raise NothingComparable(f"{file.name}: no readable Word file: {type(error).__name__}: {error}") from error
    if len(text) > MAX_CHARACTERS:
        raise NothingComparable(f"{file.name}: more than {MAX_CHARACTERS:,} characters")
    return text
