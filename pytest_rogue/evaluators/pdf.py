"""Checks on PDF files."""

from __future__ import annotations

import io
import time
from typing import ClassVar

from pydantic import Field

from pytest_rogue.evaluators.protocol import Evaluator, Finding, GuestReader
from pytest_rogue.suite.model import GuestPath

MAX_PAGES = 200
"""Pages that are read; a task's document has a few."""

MAX_CHARACTERS = 500_000
"""Of all pages together; a task's document has some thousands."""

SECONDS = 60.0
"""For all pages together; one takes some hundredths of a second."""


class PdfText(Evaluator):
    """The text of a PDF file has these parts, and where `pages` is given, it has so many pages.

    Spaces and line ends are taken as one space, since the lines of a page are not those of its document.
    """

    name: ClassVar[str] = "pdf_text"
    library: ClassVar[str] = "pypdf"

    path: GuestPath
    contains: tuple[str, ...] = Field(min_length=1)
    excludes: tuple[str, ...] = ()
    pages: int | None = Field(default=None, ge=1)

    def look(self, reader: GuestReader) -> Finding:
        """Extract the text and look for the parts."""
        data = reader.read_file(self.path)
        try:
            pages = page_texts(data)
        except Exception as error:  # noqa: BLE001 - the file is the agent's, and pypdf raises whatever its parts raise
            return Finding(0.0, "a PDF file", f"no readable one: {type(error).__name__}: {error}")
        if self.pages is not None and len(pages) != self.pages:
            return Finding(0.0, f"{self.pages} pages", f"{len(pages)} pages")
        text = " ".join(" ".join(pages).split())
        for part in self.contains:
            if " ".join(part.split()) not in text:
                return Finding(0.0, f"a text with {part!r}", f"{text[:150]!r}")
        for part in self.excludes:
            if " ".join(part.split()) in text:
                return Finding(0.0, f"a text without {part!r}", "one with it")
        return Finding(1.0, "a PDF file with the right text", "it")


def page_texts(data: bytes) -> list[str]:
    """Return the text of each page of a PDF file.

    Raises:
        Exception: it is no readable one, has more than `MAX_PAGES` or `MAX_CHARACTERS`, or takes longer than `SECONDS`;
            pypdf raises whatever its parts raise.
    """
    from pypdf import PdfReader

    over = time.monotonic() + SECONDS

    def check_time(*_: object) -> None:
        """Is called before each instruction of a page, too."""
        if time.monotonic() > over:
            raise ValueError(f"its text takes longer than {SECONDS:g} s")

    document = PdfReader(io.BytesIO(data))
    if len(document.pages) > MAX_PAGES:
        raise ValueError(f"{len(document.pages)} pages, and no more than {MAX_PAGES} are read")
    texts: list[str] = []
    size = 0
    for page in document.pages:
        check_time()
        texts.append(page.extract_text(visitor_operand_before=check_time))
        size += len(texts[-1])
        if size > MAX_CHARACTERS:
            raise ValueError(f"more than {MAX_CHARACTERS:,} characters")
    return texts
