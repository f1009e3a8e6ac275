"""Screens as PNG, fast.

Where the machine can compress fast, the rows go through as they are. Where it cannot, use is made of a desktop's look:
most of its rows equal the row above. The filter "up" turns such a row into zeros, and what a row of zeros is compressed
to is known beforehand. Pieces that were compressed on their own may be put together where each ends with a full flush
(RFC 1951; pigz does the same).
"""

from __future__ import annotations

import itertools
import struct
import zlib
from typing import TYPE_CHECKING

from PIL import ImageChops

from . import deflate

if TYPE_CHECKING:
    from PIL import Image

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_FILTER_NONE, _FILTER_UP = b"\x00", b"\x02"
_ZLIB_HEADER = b"\x78\x01"
_DEFLATE_END = b"\x03\x00"


def encode(image: Image.Image) -> bytes:
    """Return an RGB image as PNG, compressed for speed."""
    header = struct.pack(">IIBBBBB", *image.size, 8, 2, 0, 0, 0)
    data = deflate.compress(_unfiltered(image)) if deflate.is_fast() else _compressed_by_rows(image)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _unfiltered(image: Image.Image) -> bytes:
    """Return the rows, each after its filter byte."""
    data, length = image.tobytes(), 3 * image.width
    rows = (data[start : start + length] for start in range(0, len(data), length))
    return _FILTER_NONE + _FILTER_NONE.join(rows)


def _compressed_by_rows(image: Image.Image) -> bytes:
    """Return the filtered rows as a zlib stream."""
    same = _FILTER_UP + bytes(3 * image.width)
    same_deflated = _deflated([same])
    parts, checksum, top = [_ZLIB_HEADER], 1, 0
    for differ, group in itertools.groupby(_differ_from_above(image)):
        count = len(list(group))
        rows = _filtered(image, top, top + count) if differ else [same] * count
        parts.append(_deflated(rows) if differ else same_deflated * count)
        for row in rows:
            checksum = zlib.adler32(row, checksum)
        top += count
    return b"".join([*parts, _DEFLATE_END, struct.pack(">I", checksum)])


def _differ_from_above(image: Image.Image) -> list[bool]:
    """Tell for each row whether it differs from the one above; above the first one, PNG says, is black."""
    data, length = image.tobytes(), 3 * image.width
    rows = [data[start : start + length] for start in range(0, len(data), length)]
    return [row != above for above, row in itertools.pairwise([bytes(length), *rows])]


def _filtered(image: Image.Image, top: int, bottom: int) -> list[bytes]:
    """Return rows as differences to the row above, each after its filter byte."""
    here = image.crop((0, top, image.width, bottom))
    above = image.crop((0, top - 1, image.width, bottom - 1))  # outside of the image it is black
    data, length = ImageChops.subtract_modulo(here, above).tobytes(), 3 * image.width
    return [_FILTER_UP + data[start : start + length] for start in range(0, len(data), length)]


def _deflated(rows: list[bytes]) -> bytes:
    compressor = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS)
    return b"".join([*map(compressor.compress, rows), compressor.flush(zlib.Z_FULL_FLUSH)])


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
