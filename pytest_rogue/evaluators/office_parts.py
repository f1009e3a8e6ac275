"""The archive that an office document is, looked through before a library reads it: anybody may have written it.

The libraries build everything in memory that a document names, and one of them expands entities. A few kilobytes can so
become all the memory there is.
"""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_UNPACKED = 64 * 1024 * 1024
"""Bytes of a document's parts together; what claims more is not read."""

MAX_ELEMENTS = 1_000_000
"""Of all parts together, the end of an element counted like its beginning; a cell with a number has four."""

MAX_MERGED = 100_000
"""Cells that are merged with others; each of them is built."""

_UTF_16 = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
"""What a part begins with in which nothing of the following would be found."""

_MERGED = re.compile(rb"<(?:[\w.-]+:)?mergeCell\s[^>]*>")
_RANGE = re.compile(rb"""\sref\s*=\s*["']([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})["']""")


class UnreadableDocument(Exception):
    """It is no such document, or has no such sheet, a finding like any other."""


def check_parts(data: bytes, what: str) -> None:
    """Look through a file before a library does.

    Args:
        data: the file.
        what: it should be, for the message.

    Raises:
        UnreadableDocument: it is no archive of parts; or more than is read; or a part has a document type, in which
            entities are defined, and which no office program writes.
    """
    elements = merged = 0
    for part in _parts(data, what):
        if part.startswith(_UTF_16) or b"<!DOCTYPE" in part:
            raise UnreadableDocument(f"a {what} with a document type or in UTF-16, as no office program writes it")
        elements += part.count(b"<")
        merged += sum(map(_cells_of, _MERGED.findall(part)))
        if elements > MAX_ELEMENTS or merged > MAX_MERGED:
            raise UnreadableDocument(f"a {what} of more than {MAX_ELEMENTS:,} elements or {MAX_MERGED:,} merged cells")


def _parts(data: bytes, what: str) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            known = archive.infolist()
            size = sum(part.file_size for part in known)
            if size <= MAX_UNPACKED:
                yield from (archive.read(part) for part in known)
    except Exception as error:
        # The file is the agent's, and zipfile raises whatever its methods of packing raise.
        raise UnreadableDocument(f"no readable {what}: {type(error).__name__}: {error}") from error
    if size > MAX_UNPACKED:
        raise UnreadableDocument(f"a {what} of more than {MAX_UNPACKED:,} bytes")


def _cells_of(merged: bytes) -> int:
    """Return how many cells an element merges; more than there may be where its range is written as no program does."""
    found = _RANGE.search(merged)
    if found is None:
        return MAX_MERGED + 1
    left, top, right, bottom = found.groups()
    return (_number(right) - _number(left) + 1) * (int(bottom) - int(top) + 1)


def _number(column: bytes) -> int:
    number = 0
    for letter in column:
        number = number * 26 + letter - ord("A") + 1
    return number
