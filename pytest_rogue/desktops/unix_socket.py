"""HTTP over a UNIX socket whose other end may be gone.

httpx can do it by itself, but leaves a socket open whenever a connection is refused, as an ended desktop does.
"""

from __future__ import annotations

import contextlib
import select
import socket
from typing import TYPE_CHECKING, Any

import httpcore
import httpx

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterable, Iterator


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
            with _as_httpcore(httpcore.ConnectTimeout, httpcore.ConnectError):
                connection.settimeout(timeout)
                connection.connect(path)
        except BaseException:
            connection.close()
            raise
        return _UnixStream(connection)


class _UnixStream(httpcore.NetworkStream):
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with _as_httpcore(httpcore.ReadTimeout, httpcore.ReadError):
            self._connection.settimeout(timeout)
            return self._connection.recv(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with _as_httpcore(httpcore.WriteTimeout, httpcore.WriteError):
            self._connection.settimeout(timeout)
            self._connection.sendall(buffer)

    def close(self) -> None:
        self._connection.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        raise NotImplementedError("a guest is never reached through TLS on a UNIX socket")

    def get_extra_info(self, info: str) -> Any:
        """Tell whether there is something to read: on an idle connection that means it was closed."""
        if info != "is_readable":
            return None
        waiting = select.poll()
        waiting.register(self._connection, select.POLLIN)
        return bool(waiting.poll(0))


@contextlib.contextmanager
def _as_httpcore(late: type[Exception], broken: type[Exception]) -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise late(str(error)) from error
    except OSError as error:
        raise broken(str(error)) from error
