"""A desktop with a real browser and a small site, for the tests of what the published tasks ask of a browser."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.evaluators.browser_profile import close_browser
from pytest_rogue.published.browser_place import find_browser
from pytest_rogue.published.devtools import DevTools, wait_for_browser
from pytest_rogue.published.kinds import getters, steps
from tests.docker.conftest import IMAGE, RUN
from tests.published.desks import desk_with

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.published.protocol import Convention, Desk

SITE = "http://small.localhost:8080"

_SERVER = """
import http.server, os
class Pages(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Set-Cookie", "seen=1; Max-Age=100000")
        super().end_headers()
os.makedirs("/tmp/site", exist_ok=True)
os.chdir("/tmp/site")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8080), Pages)
if not os.fork():
    os.setsid()
    server.serve_forever()
"""


class BrowserDesk:
    """The desk, and short words for what the tests do with it."""

    def __init__(self, guest: GuestClient, checkout: Path) -> None:
        self.guest = guest
        self.checkout = checkout

    def page(self, name: str, html: str) -> str:
        """Put a page on the site and return its address."""
        self.guest.write_file(f"/tmp/site/{name}", html.encode())
        return f"{SITE}/{name}"

    def browse(self, *arguments: str) -> DevTools:
        """Start the browser as the published tasks do, and return it once it answers."""
        command = shlex.join(["google-chrome", "--remote-debugging-port=1337", *arguments])
        self.guest.run(["sh", "-c", f"setsid {command} >/dev/null 2>&1 &"])
        return wait_for_browser(self.guest)

    def settings(self, tools: DevTools, address: str, function: str) -> Any:
        """Do something as a page of the browser's own does it."""
        page = tools.open(address)
        assert tools.wait_loaded(page, 60.0)
        return tools.run_as_page(page, function)

    def get(self, kind: str, convention: Convention = "ours", **keys: Any) -> Any:
        """Return what a getter brings."""
        return getters()[kind].model_validate(keys).get(self._desk(convention))

    def do(self, kind: str, **parameters: Any) -> None:
        """Take a set-up step."""
        steps()[kind].model_validate(parameters).apply(self._desk("ours"))

    def _desk(self, convention: Convention) -> Desk:
        return replace(desk_with(self.guest, self.checkout), convention=convention)


@pytest.fixture(scope="module")
def browser_guest() -> Iterator[GuestClient]:
    """The guest of one desktop, for all tests of a module."""
    from pytest_rogue.desktops.docker import DockerProvider

    provider = DockerProvider(image=IMAGE, run_id=RUN)
    desktop = provider.start(DesktopSpec(width=1280, height=800, memory_mb=2048, timeout=60))
    desktop.guest.run(["python3", "-c", _SERVER])
    try:
        yield desktop.guest
    finally:
        desktop.stop()
        provider.close()


@pytest.fixture
def desk(browser_guest: GuestClient, tmp_path: Path) -> Iterator[BrowserDesk]:
    """A desk whose browser was never started."""
    yield BrowserDesk(browser_guest, tmp_path)
    close_browser(browser_guest, find_browser(browser_guest).folder)
    browser_guest.run(["sh", "-c", "rm -rf ~/.config/chromium ~/.config/google-chrome; mkdir ~/.config/chromium"])
    browser_guest.run(["sh", "-c", "ln -s chromium ~/.config/google-chrome"])
