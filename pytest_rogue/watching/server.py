"""A page with live pictures of desktops, for a browser on this machine. Looking takes no step and sends no input."""

from __future__ import annotations

import hmac
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pytest_rogue.errors import InfraError
from pytest_rogue.watching.announcements import announcements

if TYPE_CHECKING:
    from pytest_rogue.watching.announcements import Announcement

FRESH = 0.5
"""Seconds for which a picture is shown to whoever asks, so that more watchers do not cost a desktop more."""

_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": (
        "default-src 'none'; img-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    ),
}


class WatchServer(ThreadingHTTPServer):
    """Serves the page on a free port of the loopback interface; who does not know `url` gets nothing.

    Args:
        name: which desktops, as `Announcement.is_named` understands it; empty for all.
    """

    daemon_threads = True

    def __init__(self, name: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.name = name
        self.token = secrets.token_urlsafe(32)
        self._screens: dict[str, _Screen] = {}
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def server_close(self) -> None:
        """Stop listening and let go of the desktops."""
        super().server_close()
        for screen in self._screens.values():
            screen.close()

    def desktops(self) -> list[Announcement]:
        """Return the desktops to be seen now."""
        found = announcements(self.name)
        with self._lock:
            for gone in self._screens.keys() - {announcement.id for announcement in found}:
                self._screens.pop(gone).close()
        return found

    def picture(self, id: str) -> bytes | None:  # noqa: A002 - as a desktop calls it
        """Return a desktop's screen as PNG, None where it is gone."""
        announcement = next((desktop for desktop in self.desktops() if desktop.id == id), None)
        if announcement is None:
            return None
        with self._lock:
            screen = self._screens.setdefault(id, _Screen(announcement))
        return screen.picture()


class _Screen:
    """The latest picture of one desktop."""

    def __init__(self, announcement: Announcement) -> None:
        self._guest = announcement.connect()
        self._lock = threading.Lock()
        self._taken = float("-inf")
        self._png: bytes | None = None

    def picture(self) -> bytes | None:
        with self._lock:
            if time.monotonic() - self._taken > FRESH:
                try:
                    self._png = self._guest.screenshot()
                except InfraError:
                    self._png = None  # it is just coming or going
                self._taken = time.monotonic()
            return self._png

    def close(self) -> None:
        self._guest.close()


class _Handler(BaseHTTPRequestHandler):
    server: WatchServer
    server_version = "pytest-rogue"
    sys_version = ""

    def log_message(self, *_: Any) -> None:
        """Log nothing: the token stands in the path."""

    def do_GET(self) -> None:
        token, _, what = urlsplit(self.path).path.lstrip("/").partition("/")
        if not hmac.compare_digest(token.encode(), self.server.token.encode()):
            self._answer(404, b"", "text/plain")
        elif what == "":
            page = resources.files("pytest_rogue.watching").joinpath("page.html").read_bytes()
            self._answer(200, page, "text/html; charset=utf-8")
        elif what == "desktops":
            rows = [{"id": found.id, "run": found.run, "episode": found.episode} for found in self.server.desktops()]
            self._answer(200, json.dumps(rows).encode(), "application/json")
        else:
            png = self.server.picture(what.removeprefix("screen/"))
            self._answer(404 if png is None else 200, png or b"", "image/png")

    def _answer(self, status: int, body: bytes, content_type: str) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": content_type, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
