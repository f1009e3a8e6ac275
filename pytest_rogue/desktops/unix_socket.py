"""HTTP over a UNIX socket whose other end may be gone.

httpx can do it by itself, but leaves a socket open whenever a connection is refused, as an ended desktop does.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import httpcore
import httpx

from pytest_rogue.desktops.socket_stream import SocketStream, as_httpcore

if TYPE_CHECKING:
    from collections.abc import Iterable


class UnixTransport(httpx.HTTPTransport):
    """Sends all requests to the UNIX socket at `path`, or of that name where it begins with a NUL character."""

    def __init__(self, path: str) -> None:
        super().__init__(uds=path)
        self._pool = httpcore.ConnectionPool(uds=path, network_backend=_UnixBackend())


class _UnixBackend(httpcore.NetworkBackend):
    def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002 - UNIX sockets need none
    ) -> httpcore.NetworkStream:
        connection = socket.socket(socket.AF_UNIX)
        try:
            with as_httpcore(httpcore.ConnectTimeout, httpcore.ConnectError):
                connection.settimeout(timeout)
                connection.connect(path)
        except BaseException:
            connection.close()
            raise
        return SocketStream(connection)
