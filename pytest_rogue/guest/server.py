"""HTTP in front of the guest: connections, token, bodies, errors. What is asked for is decided in the routes.

Nothing about a request is logged: it may hold what an episode must not know.
"""

from __future__ import annotations

import contextlib
import hmac
import socket
import socketserver
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from .faults import BadRequest, GuestError, NotFound, TooLarge
from .request import Request, Response, as_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BODY_LIMIT = 65 << 20
"""Bytes of a request: a file of 64 MiB, and what a form puts around it."""

SWITCHED_OFF = 410
"""Status of the last answer."""

if TYPE_CHECKING:
    Routes = Mapping[tuple[str, str], Callable[[Request], Response]]
    """(method, path) -> what answers."""


class GuestServer(ThreadingHTTPServer):
    """Serves routes on a socket that listens already.

    Args:
        listener: TCP or UNIX socket.
        token: what every request has to show.
        routes: who answers what.
        farewell: what there is to say once the desktop has been switched off, None while it is on. It takes the place
            of any other answer, and with it the server ends.
    """

    daemon_threads = True

    def __init__(
        self,
        listener: socket.socket,
        token: str,
        routes: Routes,
        farewell: Callable[[], dict[str, Any] | None] = lambda: None,
    ) -> None:
        socketserver.BaseServer.__init__(self, listener.getsockname(), _Handler)
        self.socket = listener
        self.authorization = f"Bearer {token}".encode()
        self.routes = routes
        self.farewell = farewell

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection; small answers are sent at once (Nagle's algorithm costs 40 ms)."""
        connection, address = self.socket.accept()
        if connection.family != socket.AF_UNIX:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection, address

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up harms nobody, and what it asked is nobody's business."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "guest"
    sys_version = ""
    wbufsize = 1 << 16
    server: GuestServer
    _admitted = True

    def log_message(self, *_: Any) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_PUT = do_GET  # noqa: N815

    def _serve(self) -> None:
        try:
            response = self._answer()
        except GuestError as error:
            response = as_json({"error": {"kind": error.kind, "message": str(error)}}, error.status)
        except ConnectionError:
            raise
        except Exception as error:  # noqa: BLE001  # a fault of the guest is told to the host, and does not end it
            message = f"the guest failed: {type(error).__name__}: {error}"
            response = as_json({"error": {"kind": "guest_fault", "message": message}}, 500)
        farewell = self.server.farewell() if self._admitted else None
        if farewell is None:
            with contextlib.suppress(ConnectionError):
                self._send(response)
            return
        self.close_connection = True
        self._send(as_json(farewell, SWITCHED_OFF))
        threading.Thread(target=self.server.shutdown, name="farewell").start()

    def _answer(self) -> Response:
        given = self.headers.get("Authorization", "").encode("utf-8", "replace")
        if not hmac.compare_digest(given, self.server.authorization):
            self.close_connection = True  # its body is not read
            self._admitted = False
            return as_json({"error": {"kind": "unauthorized", "message": "the token is missing or wrong"}}, 401)
        body = self._read_body()
        parts = urlsplit(self.path)
        route = self.server.routes.get((self.command, parts.path))
        if route is None:
            raise NotFound(f"there is no {self.command} {parts.path}")
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        return route(Request(query, self.headers.get("Content-Type", ""), body))

    def _read_body(self) -> bytes:
        length = self.headers.get("Content-Length", "0")
        if self.headers.get("Transfer-Encoding") or not length.isdecimal():
            self.close_connection = True
            raise BadRequest("a request needs a Content-Length")
        if int(length) > BODY_LIMIT:
            self.close_connection = True
            raise TooLarge(f"the request has {length} bytes; at most {BODY_LIMIT} are taken")
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            raise ConnectionResetError("the client hung up")
        return body

    def _send(self, response: Response) -> None:
        self.send_response(response.status)
        self.send_header("Content-Type", response.content_type)
        self.send_header("Content-Length", str(len(response.body)))
        for name, value in response.headers.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(response.body)
        self.wfile.flush()
