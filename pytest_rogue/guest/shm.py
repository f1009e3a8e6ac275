"""Pixels of the screen through shared memory (extension MIT-SHM), which python3-xlib does not know by itself.

The requests are those of the extension's protocol (version 1.1): ShmAttach is 1, ShmDetach 2, ShmGetImage 4.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from Xlib import X
from Xlib import error as xerror
from Xlib.protocol import rq

if TYPE_CHECKING:
    from Xlib.display import Display

EXTENSION = "MIT-SHM"

_IPC_PRIVATE, _IPC_RMID, _IPC_CREAT = 0, 0, 0o1000
_FAILED = ctypes.c_void_p(-1).value

_libc = ctypes.CDLL(None, use_errno=True)
_libc.shmget.argtypes = (ctypes.c_int, ctypes.c_size_t, ctypes.c_int)
_libc.shmat.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_libc.shmat.restype = ctypes.c_void_p
_libc.shmdt.argtypes = (ctypes.c_void_p,)
_libc.shmctl.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_void_p)


class _Attach(rq.Request):  # type: ignore[misc]  # python3-xlib has no types
    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(1),
        rq.RequestLength(),
        rq.Card32("segment"),
        rq.Card32("identifier"),
        rq.Bool("read_only"),
        rq.Pad(3),
    )


class _Detach(rq.Request):  # type: ignore[misc]
    _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(2), rq.RequestLength(), rq.Card32("segment"))


class _GetImage(rq.ReplyRequest):  # type: ignore[misc]
    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(4),
        rq.RequestLength(),
        rq.Drawable("drawable"),
        rq.Int16("x"),
        rq.Int16("y"),
        rq.Card16("width"),
        rq.Card16("height"),
        rq.Card32("plane_mask"),
        rq.Card8("format"),
        rq.Pad(3),
        rq.Card32("segment"),
        rq.Card32("offset"),
    )
    _reply = rq.Struct(
        rq.ReplyCode(),
        rq.Card8("depth"),
        rq.Card16("sequence_number"),
        rq.ReplyLength(),
        rq.Card32("visual"),
        rq.Card32("size"),
        rq.Pad(16),
    )


class SharedImage:
    """A piece of memory that the X server writes the screen into.

    Args:
        display: connection; the object belongs to it.
        width: pixels.
        height: pixels.

    Raises:
        OSError: there is no shared memory here, or the X server cannot reach it.
    """

    def __init__(self, display: Display, width: int, height: int) -> None:
        extension = display.query_extension(EXTENSION)
        if extension is None or not extension.present:
            raise OSError("the X server has no shared memory extension")
        self.width, self.height = width, height
        self._display = display
        self._opcode = extension.major_opcode
        self._segment = display.display.allocate_resource_id()
        size = width * height * 4
        identifier = _libc.shmget(_IPC_PRIVATE, size, _IPC_CREAT | 0o600)
        if identifier < 0:
            raise OSError(ctypes.get_errno(), "no shared memory of that size")
        try:
            self._address = _libc.shmat(identifier, None, 0)
            if self._address == _FAILED:
                raise OSError(ctypes.get_errno(), "shared memory cannot be mapped")
            self._attach(identifier)
        finally:
            _libc.shmctl(identifier, _IPC_RMID, None)  # it lives on until both sides have let go
        self._bytes = (ctypes.c_char * size).from_address(self._address)

    def _attach(self, identifier: int) -> None:
        caught = xerror.CatchError()
        self._request(_Attach, onerror=caught, identifier=identifier, read_only=0)
        self._display.sync()
        if caught.get_error():
            _libc.shmdt(self._address)
            raise OSError("the X server cannot reach our shared memory")

    def read(self) -> bytes:
        """Return the screen as it is now: 4 bytes a pixel (blue, green, red, unused), row by row from the top.

        Raises:
            Xlib.error.BadMatch: the screen is smaller now.
        """
        self._request(
            _GetImage,
            drawable=self._display.screen().root,
            x=0,
            y=0,
            width=self.width,
            height=self.height,
            plane_mask=0xFFFFFFFF,
            format=X.ZPixmap,
            offset=0,
        )
        return self._bytes.raw

    def close(self) -> None:
        """Let go of the memory."""
        self._request(_Detach)
        self._display.sync()
        del self._bytes
        _libc.shmdt(self._address)

    def _request(self, kind: Any, **fields: Any) -> Any:
        return kind(display=self._display.display, opcode=self._opcode, segment=self._segment, **fields)
