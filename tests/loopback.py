"""A server on loopback, for stand-ins of services that are spoken with over HTTP."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping


class QuietHandler(BaseHTTPRequestHandler):
    """What all stand-ins have in common; `owner` is the server it answers for."""

    owner: Any

    def reply(self, status: int, data: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        """Send a whole answer, JSON unless the headers say otherwise, and let the connection end with it."""
        self.close_connection = True
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Connection": "close", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def body(self) -> bytes:
        """Return what was sent with the request."""
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Loopback:
    """Serves while its block runs.

    Args:
        handler: answers; it finds this server as `owner`.
        port: TCP port; 0 takes a free one.

    Attributes:
        root: its address.
        stopping: set when it ends, for handlers that keep a client waiting.
    """

    def __init__(self, handler: type[QuietHandler], *, port: int = 0) -> None:
        self.stopping = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", port), type(handler.__name__, (handler,), {"owner": self}))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,))
        self.root = f"http://127.0.0.1:{self._http.server_port}"

    def serve(self) -> None:
        """Serve in this thread until interrupted."""
        with self._http:
            self._http.serve_forever()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
