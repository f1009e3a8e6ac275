"""How the host reaches the guest in a container of another machine, or of a virtual one: through the engine itself.

Every connection is a small relay started in the container, whose standard streams the engine carries. So this works
wherever the engine does, also where the container has no network, and no port is published anywhere.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from importlib import resources
from typing import TYPE_CHECKING, Any

import httpcore
import httpx

from pytest_rogue.desktops.docker_engine import EngineFault
from pytest_rogue.desktops.docker_entry import GUEST_SOCKET, READ_A_LINE
from pytest_rogue.desktops.guest_http import GuestHttp
from pytest_rogue.desktops.socket_stream import SocketStream, as_httpcore

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_rogue.desktops.docker_engine import Engine

_HEADER = struct.Struct(">BxxxL")
_STDOUT = 1


PYTHON = ("/usr/bin/python3", "-I", "-S", "-c")
"""What runs a program of ours in a container: nothing of the image but the standard library."""


def program_text(name: str) -> str:
    """Return the text of one of our programs that run in a container."""
    return resources.files("pytest_rogue.desktops").joinpath(name).read_text(encoding="utf-8")


class StreamHttp(GuestHttp):
    """HTTP to the guest of one container, through the engine."""

    def __init__(self, *, token: str, engine: Engine, container: str) -> None:
        self._client = httpx.Client(
            base_url="http://desktop",
            transport=_StreamTransport(engine, container),
            headers={"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"},
            trust_env=False,
        )


class _StreamTransport(httpx.HTTPTransport):
    def __init__(self, engine: Engine, container: str) -> None:
        super().__init__()
        self._pool = httpcore.ConnectionPool(network_backend=_StreamBackend(engine, container))


class _StreamBackend(httpcore.NetworkBackend):
    def __init__(self, engine: Engine, container: str) -> None:
        self._engine = engine
        self._container = container

    def connect_tcp(
        self,
        host: str,  # noqa: ARG002 - there is but one guest
        port: int,  # noqa: ARG002
        timeout: float | None = None,
        local_address: str | None = None,  # noqa: ARG002
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        try:
            with self._engine.faults():
                api = self._engine.api
                command = [*PYTHON, READ_A_LINE, GUEST_SOCKET]
                relay = api.exec_create(self._container, command, stdin=True, stdout=True, stderr=True)
                stream = _Stream(AttachedStream(api.exec_start(relay["Id"], socket=True)))
        except EngineFault as error:
            raise httpcore.ConnectError(str(error)) from error
        try:
            stream.write(program_text("docker_relay.py").encode().hex().encode() + b"\n", timeout)
            greeting = stream.read(1, timeout)
        except (httpcore.NetworkError, httpcore.TimeoutException) as error:
            stream.close()
            raise httpcore.ConnectError(str(error)) from error
        if greeting != b" ":
            stream.close()
            raise httpcore.ConnectError("no guest is listening in the container")
        return stream


class AttachedStream:
    """A connection that the engine has turned over to a program in a container.

    Args:
        handle: as docker-py returns it: the socket, or a file around it.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self.socket: socket.socket = getattr(handle, "_sock", handle)

    def close(self) -> None:
        """Close it; the program reads the end of its input."""
        # A reference that the HTTP library keeps must not keep the connection.
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        # What docker-py hands out is a file of the answer; closing the answer closes it and the socket.
        getattr(self._handle, "_response", self._handle).close()


class _Stream(SocketStream):
    """What the program writes to standard output, taken out of the engine's frames."""

    def __init__(self, attached: AttachedStream) -> None:
        super().__init__(attached.socket)
        self._attached = attached
        self._in_frame = 0
        self._lock = threading.Lock()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._lock, as_httpcore(httpcore.ReadTimeout, httpcore.ReadError):
            while self._in_frame == 0:
                header = self._exactly(_HEADER.size, deadline)
                if not header:
                    return b""
                kind, size = _HEADER.unpack(header)
                if kind == _STDOUT:
                    self._in_frame = size
                else:
                    self._exactly(size, deadline)
            data = self._receive(min(max_bytes, self._in_frame), deadline)
            self._in_frame -= len(data)
            return data

    def close(self) -> None:
        self._attached.close()

    def _exactly(self, size: int, deadline: float | None) -> bytes:
        data = b""
        while len(data) < size:
            part = self._receive(size - len(data), deadline)
            if not part:
                return b""
            data += part
        return data

    def _receive(self, size: int, deadline: float | None) -> bytes:
        self._connection.settimeout(None if deadline is None else max(0.001, deadline - time.monotonic()))
        return self._connection.recv(size)
