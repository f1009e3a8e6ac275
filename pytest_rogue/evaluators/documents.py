"""Checks of the document service: what lies in its folders when the episode is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field, model_validator

from pytest_rogue.evaluators.protocol import Evaluator, Finding, GuestReader
from pytest_rogue.evaluators.reading import even_line_ends, first_difference, lines_in
from pytest_rogue.suite.model import GuestPath

if TYPE_CHECKING:
    from pytest_rogue.evaluators.protocol import StoredDocument


class DocumentServiceFile(Evaluator):
    """A file in a folder of the document service.

    `equals` compares its text with line ends made even, `lines` its lines, without blank ones and spaces at their ends,
    `same_as` its bytes with those of a file in the desktop, `shared_with` asks for accounts that may see it. With
    `absent` nothing of this name lies there.
    """

    name: ClassVar[str] = "document_service"

    folder: str = Field(min_length=1)
    file: str = Field(min_length=1)
    equals: str | None = None
    lines: tuple[str, ...] | None = None
    same_as: GuestPath | None = None
    shared_with: tuple[str, ...] = ()
    absent: bool = False

    @model_validator(mode="after")
    def _one_question(self) -> DocumentServiceFile:
        asked = sum(content is not None for content in (self.equals, self.lines, self.same_as))
        if asked > 1:
            raise ValueError("give one of equals, lines and same_as")
        if self.absent and (asked or self.shared_with):
            raise ValueError("of a file that is to be absent nothing else can be asked")
        return self

    def look(self, reader: GuestReader) -> Finding:
        """Look into the folder."""
        files = {document.name: document for document in reader.documents() if document.folder == self.folder}
        where = f"{self.file} in the folder {self.folder}"
        there = files.get(self.file)
        if self.absent:
            return Finding.of(there is None, expected=f"no {where}", found="none" if there is None else where)
        if there is None:
            return Finding(0.0, where, f"in it: {', '.join(sorted(files)) or 'nothing'}")
        return self._compare(there, reader)

    def _compare(self, there: StoredDocument, reader: GuestReader) -> Finding:
        text = even_line_ends(there.content.decode(errors="replace"))
        if self.equals is not None and text != even_line_ends(self.equals):
            return Finding(0.0, f"the text {self.equals[:150]!r}", f"{text[:150]!r}")
        if self.lines is not None and (found := lines_in(text)) != (wanted := [line.rstrip() for line in self.lines]):
            return Finding(0.0, *first_difference(wanted, found))
        if self.same_as is not None and there.content != reader.read_file(self.same_as):
            return Finding(0.0, f"the same bytes as {self.same_as}", f"{len(there.content)} other bytes")
        missing = sorted(set(self.shared_with) - set(there.shared_with))
        if missing:
            return Finding(0.0, f"shared with {', '.join(self.shared_with)}", f"not shared with {', '.join(missing)}")
        return Finding(1.0, f"{self.file} as asked for", "it")
