"""The checks of Chromium on the real one: what it shows, and what it has written once it is closed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.errors import GuestFileMissing
from pytest_rogue.evaluators.evaluate import evaluate
from pytest_rogue.outcome import Ending
from pytest_rogue.suite.model import Check, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_rogue.desktops.docker import DockerProvider
    from pytest_rogue.desktops.guest_client import GuestClient

pytestmark = pytest.mark.docker

SITE = """
import http.server, os
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Set-Cookie", "seen=1; Max-Age=100000")
        self.end_headers()
        self.wfile.write(b"<title>A small page</title>")
server = http.server.HTTPServer(("127.0.0.1", 8080), Page)
if not os.fork():
    os.setsid()
    server.serve_forever()
"""
PAGE = "http://small.localhost:8080/?a=1"


@pytest.fixture
def guest(make_provider: Callable[..., DockerProvider]) -> Iterator[GuestClient]:
    """The guest of a desktop whose browser shows a page that has set a cookie."""
    desktop = make_provider().start(DesktopSpec(width=1024, height=768, memory_mb=2048, timeout=60))
    desktop.guest.run(["python3", "-c", SITE])
    preferences = b'{"enable_do_not_track": true}'
    desktop.guest.write_file("~/.config/chromium/Default/Preferences", preferences, mode=0o600)
    desktop.guest.launch(["google-chrome", "--remote-debugging-port=9222", PAGE], "A small page", 60.0)
    wait_until_noted(desktop.guest)
    yield desktop.guest
    desktop.stop()


def wait_until_noted(guest: GuestClient) -> None:
    """Wait until page and cookie stand on the disk, which is many seconds later than on the screen."""
    noted = {"~/.config/chromium/Default/History": PAGE, "~/.config/chromium/Default/Cookies": "small.localhost"}
    deadline = time.monotonic() + 120
    for path, text in noted.items():
        while text.encode() not in _content(guest, path):
            assert time.monotonic() < deadline, f"the browser has not written {path}"
            time.sleep(0.1)


def _content(guest: GuestClient, path: str) -> bytes:
    try:
        return guest.read_file(path)
    except GuestFileMissing:
        return b""


def found(guest: GuestClient, evaluator: str, **args: Any) -> float | None:
    checks = (Check(evaluator=evaluator, args=args),)
    task = Task(id="t", instruction="Browse.", checks=checks, solution=("pass",))
    return evaluate(task, guest, ending=Ending.DONE).score


def test_pages_preferences_history_and_cookies_are_read_from_the_real_browser(guest: GuestClient) -> None:
    assert found(guest, "browser_tabs", front=PAGE) == 1.0
    assert found(guest, "browser_preference", key=["enable_do_not_track"], equals=True) == 1.0
    assert found(guest, "browser_tabs", front=PAGE) == 0.0, "the browser was closed to read its preferences"
    assert found(guest, "browser_data", what="history", kept={"small.localhost": 1}) == 1.0
    assert found(guest, "browser_data", what="cookies", gone=["small.localhost"]) == 0.0
