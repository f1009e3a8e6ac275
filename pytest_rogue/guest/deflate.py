"""Compress fast: by ISA-L where the machine has it (`libisal2`), which takes a seventh of zlib's time for a screen.

The layout of the stream is that of `igzip_lib.h`, whose version the library's name carries.
"""

from __future__ import annotations

import ctypes
import zlib
from functools import cache

LIBRARY = "libisal.so.2"

_ZLIB_FORMAT = 3
_LEVEL = 1
_LEVEL_BYTES = 512 * 1024
"""Work space of the level; the library wants at most 354 KB."""
_STATE_BYTES = 512 * 1024
"""Room for what the library keeps for itself in a stream, about 90 KB."""


class _Stream(ctypes.Structure):
    _fields_ = (
        ("next_in", ctypes.c_char_p),
        ("avail_in", ctypes.c_uint32),
        ("total_in", ctypes.c_uint32),
        ("next_out", ctypes.c_void_p),
        ("avail_out", ctypes.c_uint32),
        ("total_out", ctypes.c_uint32),
        ("codes", ctypes.c_void_p),
        ("level", ctypes.c_uint32),
        ("level_bytes", ctypes.c_uint32),
        ("level_space", ctypes.c_void_p),
        ("end_of_stream", ctypes.c_uint16),
        ("flush", ctypes.c_uint16),
        ("format", ctypes.c_uint16),
        ("history_bits", ctypes.c_uint16),
        ("state", ctypes.c_char * _STATE_BYTES),
    )


def compress(data: bytes) -> bytes:
    """Return a zlib stream of `data`, made for speed."""
    library = _library()
    return zlib.compress(data, 1) if library is None else _compressed(library, data)


def is_fast() -> bool:
    """Tell whether the fast library is here, and works."""
    return _library() is not None


@cache
def _library() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(LIBRARY)
        sample = bytes(range(256)) * 64
        return library if zlib.decompress(_compressed(library, sample)) == sample else None
    except (OSError, AttributeError, ValueError, zlib.error):
        return None


def _compressed(library: ctypes.CDLL, data: bytes) -> bytes:
    stream = _Stream()
    library.isal_deflate_stateless_init(ctypes.byref(stream))
    room = len(data) + len(data) // 1000 + 4096  # what cannot be compressed is stored, in blocks of 64 KB
    out = ctypes.create_string_buffer(room)
    space = ctypes.create_string_buffer(_LEVEL_BYTES)
    stream.next_in, stream.avail_in = data, len(data)
    stream.next_out, stream.avail_out = ctypes.addressof(out), room
    stream.level, stream.level_bytes, stream.level_space = _LEVEL, _LEVEL_BYTES, ctypes.addressof(space)
    stream.end_of_stream, stream.format = 1, _ZLIB_FORMAT
    failed = library.isal_deflate_stateless(ctypes.byref(stream))
    if failed:
        raise ValueError(f"{LIBRARY} could not compress {len(data)} bytes (its error {failed})")
    return ctypes.string_at(out, stream.total_out)
