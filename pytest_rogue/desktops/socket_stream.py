"""A connected socket as httpcore wants it; `unix_socket` and `docker_stream` make theirs of it."""

from __future__ import annotations

import contextlib
import select
from typing import TYPE_CHECKING, Any

import httpcore

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Iterator


class SocketStream(httpcore.NetworkStream):
    """Reads from and writes to a socket.

    Args:
        connection: connected; it is closed with this.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what has come, at most so many bytes; empty at the end."""
        with as_httpcore(httpcore.ReadTimeout, httpcore.ReadError):
            self._connection.settimeout(timeout)
            return self._connection.recv(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it."""
        with as_httpcore(httpcore.WriteTimeout, httpcore.WriteError):
            self._connection.settimeout(timeout)
            self._connection.sendall(buffer)

    def close(self) -> None:
        """Close the socket."""
        self._connection.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Refuse: what may be encrypted is what carries this connection."""
        raise NotImplementedError("a guest is never reached through TLS of its own")

    def get_extra_info(self, info: str) -> Any:
        """Tell whether there is something to read: on an idle connection that means it was closed."""
        if info != "is_readable":
            return None
        waiting = select.poll()
        waiting.register(self._connection, select.POLLIN)
        return bool(waiting.poll(0))


@contextlib.contextmanager
def as_httpcore(late: type[Exception], broken: type[Exception]) -> Iterator[None]:
    """Let a fault of the socket be the one that httpcore expects."""
    try:
        yield
    except TimeoutError as error:
        raise late(str(error)) from error
    except OSError as error:
        raise broken(str(error)) from error
