"""A small D-Bus client that sends many calls before it reads the first reply.

Walking an accessibility tree takes thousands of tiny calls. Sent together they cost about 25 microseconds each; GDBus
through python3-gi needs about 70, and a client that waits for every reply several hundred. That, and being able to give
up on one silent program while the others go on, is why this is no library.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import time
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Sequence

METHOD_RETURN = 2
ERROR = 3
REPLY_SERIAL = 5
_LARGEST_MESSAGE = 1 << 27  # the D-Bus specification's own limit
_CHUNK = 1 << 18
_SENDING_LIMIT = 5.0  # seconds


class BusError(Exception):
    """A bus cannot be reached, or the connection to it was lost."""


class Call(NamedTuple):
    """One method call; `body` is marshalled already and matches `signature`."""

    destination: str
    path: str
    interface: str
    member: str
    signature: str = ""
    body: bytes = b""


class Connection:
    """A connection to one message bus, or to one program. Not thread-safe; the owner has the lock.

    Args:
        address: D-Bus address; only UNIX sockets are tried.
        timeout: seconds that the other side may take to accept it.
        peer: the other side is a program that serves calls without a bus between.

    Raises:
        BusError: it cannot be reached.
    """

    def __init__(self, address: str, *, timeout: float, peer: bool = False) -> None:
        self._headers: dict[tuple[str, str, str, str], bytes] = {}
        self._received = bytearray()
        self._outgoing = bytearray()
        self._serial = 0
        self._socket = _connect(address, timeout)
        self._socket.setblocking(False)
        if peer:
            return
        hello = Call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello")
        with contextlib.ExitStack() as undo:
            undo.callback(self.close)
            if self.call(hello, timeout=timeout) is None:
                raise BusError(f"the message bus at {address} does not answer")
            undo.pop_all()

    @property
    def is_sending(self) -> bool:
        """True where something was given to `send` that the other side has not taken yet."""
        return bool(self._outgoing)

    def fileno(self) -> int:
        """Return the number of its socket, so that `select` takes it."""
        return self._socket.fileno()

    def close(self) -> None:
        """Hang up; may be called more than once."""
        self._socket.close()

    def call(self, call: Call, *, timeout: float) -> bytes | None:
        """Return the marshalled reply, or None where it was an error or did not come in `timeout` seconds.

        Raises:
            BusError: the connection was lost.
        """
        deadline = time.monotonic() + timeout
        wanted = self.send([call])[0]
        while (seconds := deadline - time.monotonic()) > 0:
            for serial, body in self.receive(seconds):
                if serial == wanted:
                    return body
        self.finish_sending()
        return None

    def send(self, calls: Sequence[Call]) -> range:
        """Take calls, in any number and to any destinations, which the next `receive` sends.

        Returns:
            The serials of the calls in their order, by which their replies are known.
        """
        first = self._serial + 1
        self._outgoing += b"".join(map(self._message, calls))
        return range(first, self._serial + 1)

    def receive(self, seconds: float) -> list[tuple[int, bytes | None]]:
        """Send what the bus takes and return the replies that have come, after at most `seconds` in which any may come.

        Returns:
            Serial of the call and marshalled body of each reply; None where it was an error.

        Raises:
            BusError: the connection was lost.
        """
        self._transfer(max(0.0, seconds))
        return self._take_replies()

    def finish_sending(self) -> None:
        """Send the rest of what was begun, or the bus could never read the next call.

        Raises:
            BusError: the bus takes nothing for a long time; the connection is closed then.
        """
        deadline = time.monotonic() + _SENDING_LIMIT
        while self._outgoing:
            if time.monotonic() > deadline:
                self.close()
                raise BusError("the message bus takes no more calls")
            self._transfer(0.1)

    def _message(self, call: Call) -> bytes:
        self._serial += 1
        key = (call.destination, call.interface, call.member, call.signature)
        fields = self._headers.get(key)
        if fields is None:
            fields = self._headers[key] = _header_fields(*key)
        path = call.path.encode()
        fields = b"%b\x01\x01o\0%b%b\0" % (fields, struct.pack("<I", len(path)), path)
        head = struct.pack("<III", len(call.body), self._serial, len(fields))
        return b"l\x01\x02\x01%b%b%b%b" % (head, fields, bytes(-len(fields) % 8), call.body)

    def _transfer(self, seconds: float) -> None:
        """Wait until something can be sent or read, and do so."""
        readable, writable, _ = select.select([self._socket], [self._socket] if self._outgoing else [], [], seconds)
        try:
            if writable:
                del self._outgoing[: self._socket.send(self._outgoing[:_CHUNK])]
            if readable:
                data = self._socket.recv(_CHUNK)
                if not data:
                    raise BusError("the message bus has closed the connection")
                self._received += data
        except BlockingIOError:
            pass
        except OSError as error:
            raise BusError(f"the connection to the message bus was lost ({error})") from error

    def _take_replies(self) -> list[tuple[int, bytes | None]]:
        """Take all complete messages and return those that are replies: (serial of the call, body or None)."""
        found = []
        start = 0
        data = self._received
        while len(data) - start >= 16:
            if data[start] != ord("l"):
                raise BusError("the message bus speaks big-endian D-Bus, which is not understood")
            body_size, _, fields_size = struct.unpack_from("<III", data, start + 4)
            body_start = start + 16 + fields_size + -fields_size % 8
            end = body_start + body_size
            if end - start > _LARGEST_MESSAGE:
                raise BusError("the message bus sent a message longer than D-Bus allows")
            if len(data) < end:
                break
            if data[start + 1] in (METHOD_RETURN, ERROR):
                serial = _reply_serial(data, start + 16, start + 16 + fields_size)
                body = bytes(data[body_start:end]) if data[start + 1] == METHOD_RETURN else None
                found.append((serial, body))
            start = end
        del data[:start]
        return found


class Reader:
    """Reads the values of a marshalled (little-endian) body one after the other."""

    __slots__ = ("_at", "_body")

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._at = 0

    def align(self, size: int) -> None:
        """Skip padding."""
        self._at += -self._at % size

    def uint32(self) -> int:
        """Read an unsigned integer."""
        return self._number("<I", 4)

    def int32(self) -> int:
        """Read a signed integer."""
        return self._number("<i", 4)

    def _number(self, form: str, size: int) -> int:
        self.align(size)
        value: int = struct.unpack_from(form, self._body, self._at)[0]
        self._at += size
        return value

    def text(self) -> str:
        """Read a string or an object path; bytes that are no UTF-8 are replaced."""
        size = self.uint32()
        start = self._at
        self._at += size + 1
        return self._body[start : start + size].decode("utf-8", "replace")

    def variant(self) -> str | int | float | None:
        """Read a variant that holds a string, an integer or a double; None for any other kind."""
        size = self._body[self._at]
        kind = self._body[self._at + 1 : self._at + 1 + size]
        self._at += size + 2
        if kind == b"s":
            return self.text()
        if kind == b"d":
            self.align(8)
            value: float = struct.unpack_from("<d", self._body, self._at)[0]
            return value
        return self.int32() if kind == b"i" else self.uint32() if kind == b"u" else None

    def array_end(self, alignment: int) -> int:
        """Read the head of an array and return the position at which it ends, for `before`."""
        size = self.uint32()
        self.align(alignment)
        return self._at + size

    def before(self, end: int) -> bool:
        """Return True while the position is before `end`."""
        return self._at < end


def marshal_texts(*texts: str) -> bytes:
    """Marshal strings one after the other, for a signature of `s` for each."""
    out = b""
    for text in texts:
        data = text.encode()
        out += b"%b%b%b\0" % (bytes(-len(out) % 4), struct.pack("<I", len(data)), data)
    return out


def _header_fields(destination: str, interface: str, member: str, signature: str) -> bytes:
    """Marshal the header fields that stay the same for all objects of a destination."""
    out = b""
    for code, text in ((6, destination), (2, interface), (3, member)):
        out += b"%b%c\x01s\0%b" % (bytes(-len(out) % 8), code, marshal_texts(text))
    if signature:
        out += b"%b\x08\x01g\0%c%b\0" % (bytes(-len(out) % 8), len(signature), signature.encode())
    return out + bytes(-len(out) % 8)


def _reply_serial(data: bytearray, at: int, end: int) -> int:
    """Find the field that says which call a message answers; 0 where there is none."""
    start = at
    while at < end:
        at += -(at - start) % 8
        code, kind = data[at], data[at + 2]
        if code == REPLY_SERIAL:
            serial: int = struct.unpack_from("<I", data, at + 4)[0]
            return serial
        if kind == ord("g"):
            at += 4 + 1 + data[at + 4] + 1
        elif kind == ord("u"):
            at += 4 + 4
        else:
            at += 4 + 4 + int.from_bytes(data[at + 4 : at + 8], "little") + 1
    return 0


def _connect(address: str, timeout: float) -> socket.socket:
    """Open the first UNIX socket of a D-Bus address list and authenticate as the own user."""
    problem = f"no UNIX socket in the address {address!r}"
    for part in address.split(";"):
        transport, _, rest = part.partition(":")
        keys = dict(pair.split("=", 1) for pair in rest.split(",") if "=" in pair)
        name = unquote(keys["path"]) if "path" in keys else "\0" + unquote(keys.get("abstract", ""))
        if transport != "unix" or name == "\0":
            continue
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(timeout)
        try:
            connection.connect(name)
            _authenticate(connection)
        except (OSError, BusError) as error:
            connection.close()
            problem = str(error)
        else:
            return connection
    raise BusError(f"the message bus cannot be reached ({problem})")


def _authenticate(connection: socket.socket) -> None:
    connection.sendall(b"\0AUTH EXTERNAL %b\r\n" % str(os.getuid()).encode().hex().encode())
    answer = b""
    while not answer.endswith(b"\r\n"):
        data = connection.recv(4096)
        if not data:
            break
        answer += data
    if not answer.startswith(b"OK "):
        raise BusError("it does not accept this user")
    connection.sendall(b"BEGIN\r\n")
