"""What happens to files in folders that are watched, as inotify tells it. It does not tell who did it."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from .recorder import Event

_EVENTS = {
    0x0004: "mode",
    0x0008: "written",
    0x0020: "opened",
    0x0040: "moved_from",
    0x0080: "moved_to",
    0x0100: "created",
    0x0200: "deleted",
    0x0400: "folder_gone",
    0x0800: "folder_gone",
}
"""Of `<sys/inotify.h>`: ATTRIB, CLOSE_WRITE, OPEN, MOVED_FROM, MOVED_TO, CREATE, DELETE, DELETE_SELF, MOVE_SELF."""

_OVERFLOW = 0x4000
_IS_FOLDER = 0x40000000
_HEAD = struct.Struct("iIII")


class Files:
    """Entries of folders, not of the folders below them.

    Args:
        folders: the folders.

    Raises:
        OSError: one of them cannot be watched.
    """

    name = "files"
    how = "inotify; it does not tell which program did it"

    def __init__(self, folders: Sequence[Path]) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._checked(self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        self._folders: dict[int, Path] = {}
        mask = ctypes.c_uint32(sum(_EVENTS))
        for folder in folders:
            watch = self._checked(self._libc.inotify_add_watch(self._descriptor, os.fsencode(folder), mask))
            self._folders[watch] = folder

    def descriptor(self) -> int:
        """Return inotify's descriptor."""
        return self._descriptor

    def news(self) -> Iterator[Event]:
        """Return what has happened; opening a folder is no news."""
        while data := self._read():
            position = 0
            while position < len(data):
                watch, mask, _, length = _HEAD.unpack_from(data, position)
                position += _HEAD.size
                name = os.fsdecode(data[position : position + length].rstrip(b"\0"))
                position += length
                if mask & _OVERFLOW:
                    raise OSError(errno.EOVERFLOW, "more happened than inotify could keep")
                event = _EVENTS.get(mask & 0xFFFF)
                if event and not (event == "opened" and mask & _IS_FOLDER):
                    path = str(self._folders[watch] / name)
                    yield f"file.{event}", {"path": path.encode("utf-8", "backslashreplace").decode()}

    def close(self) -> None:
        """End all watches."""
        os.close(self._descriptor)

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, 1 << 16)
        except BlockingIOError:
            return b""

    def _checked(self, result: int) -> int:
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return result
