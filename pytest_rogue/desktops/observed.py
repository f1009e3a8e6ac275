"""Is what a guest sent really a screenshot, really a tree? Judged without trusting it."""

from __future__ import annotations

import io
import struct
from xml.parsers import expat

A11Y_LIMIT = 8 * 1024 * 1024
"""Longest accessibility tree that is taken, in characters; a desktop full of windows stays below 2.5 million."""

_PNG_START = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"
_PNG_END = b"IEND\xaeB`\x82"
_PAINTED_SHARE = 0.002
"""A mouse cursor on an unpainted 1920x1080 screen covers at most 0.0005 of it."""


def is_png(data: bytes) -> bool:
    """True where `data` begins and ends as a PNG of at least one pixel does."""
    if not (data.startswith(_PNG_START) and data.endswith(_PNG_END)):
        return False
    return all(png_size(data))


def png_size(png: bytes) -> tuple[int, int]:
    """Return width and height of a PNG in pixels."""
    width, height = struct.unpack_from(">II", png, len(_PNG_START))
    return width, height


def is_painted(png: bytes) -> bool:
    """True where the picture shows more than a black screen and a cursor.

    Raises:
        OSError: it cannot be decoded.
    """
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        counts: list[int] = image.convert("L").histogram()
    return sum(counts[8:]) > _PAINTED_SHARE * sum(counts)


def tree_problem(xml: str) -> str:
    """Say in a few words why `xml` cannot be used as an accessibility tree; empty where it can."""
    if len(xml) > A11Y_LIMIT:
        return f"the tree is {len(xml):,} characters long, more than the {A11Y_LIMIT:,} that are taken"
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(xml, True)
    except (expat.ExpatError, ValueError) as error:
        return f"the tree is not well-formed XML: {error}"
    return ""


def _refuse_doctype(name: str, *_: object) -> None:
    """Without a document type no entity can be declared, hence none be blown up."""
    raise ValueError(f"it declares a document type ({name[:40]})")
