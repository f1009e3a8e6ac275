"""Screens as PNG, fast: most rows of a desktop equal the row above, and cost next to nothing here.

The filter "up" turns such a row into zeros, and what a row of zeros is compressed to is known beforehand. Pieces that
were compressed on their own may be put together where each ends with a full flush (RFC 1951; pigz does the same).
"""

from __future__ import annotations

import functools
import importlib
import io
import itertools
import struct
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL import Image

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_FILTER_UP = 2
_ZLIB_HEADER = b"\x78\x01"
_DEFLATE_END = b"\x03\x00"


@functools.cache
def numpy() -> Any:
    """Import numpy, which takes a while, when it is first needed. None where it is missing: Pillow alone is slower."""
    try:
        return importlib.import_module("numpy")
    except ImportError:
        return None


def encode(image: Image.Image) -> bytes:
    """Return an RGB image as PNG, compressed for speed."""
    if numpy() is None:
        file = io.BytesIO()
        image.save(file, "PNG", compress_level=1)
        return file.getvalue()
    width, height = image.size
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = _compressed(_filtered(image))
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _filtered(image: Image.Image) -> Any:
    """Return the rows as an array, each after its filter byte and as differences to the row above."""
    np = numpy()
    width, height = image.size
    rows = np.frombuffer(image.tobytes(), np.uint8).reshape(height, width * 3)
    out = np.empty((height, 1 + width * 3), np.uint8)
    out[:, 0] = _FILTER_UP
    out[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=out[1:, 1:])
    return out


def _compressed(rows: Any) -> bytes:
    """Return the rows as a zlib stream."""
    np = numpy()
    height, length = rows.shape
    differs = rows[:, 1:].any(axis=1)
    edges = (np.flatnonzero(differs[1:] != differs[:-1]) + 1).tolist()
    same = _deflated(bytes([_FILTER_UP]) + bytes(length - 1))
    parts = [_ZLIB_HEADER]
    for start, end in itertools.pairwise([0, *edges, height]):
        parts.append(_deflated(rows[start:end]) if differs[start] else same * (end - start))
    return b"".join([*parts, _DEFLATE_END, struct.pack(">I", zlib.adler32(rows))])


def _deflated(data: Any) -> bytes:
    compressor = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush(zlib.Z_FULL_FLUSH)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
