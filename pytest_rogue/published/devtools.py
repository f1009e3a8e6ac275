"""The host's side of the talk with a desktop's browser; `devtools_program.py` is what runs in the desktop."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import GuestFault, GuestFileMissing
from pytest_rogue.evaluators.browser_profile import close_browser
from pytest_rogue.published.browser_place import BrowserPlace, find_browser

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.desktops.guest_client import GuestClient

PORT = 1337
"""With which the published tasks start the browser."""

SECONDS_TO_START = 60.0

_BROWSER = "browser"

_BY_VALUE = {"returnByValue": True, "awaitPromise": True}

# Chromium writes which tabs are open 2.5 s after something has changed: what rests for longer is all written.
_LET_REST = """
import glob, os, sys, time
def written():
    return {file: os.stat(file).st_mtime_ns for file in glob.glob(glob.escape(sys.argv[1]) + "/Default/Sessions*/*")}
before, since, end = written(), time.monotonic(), time.monotonic() + 30
while time.monotonic() < min(since + 4, end):
    time.sleep(0.2)
    if (now := written()) != before:
        before, since = now, time.monotonic()
"""


@dataclass(frozen=True, slots=True)
class Page:
    """A page in a tab."""

    id: str
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class DevTools:
    """A browser that answers on its DevTools port."""

    place: BrowserPlace

    def pages(self) -> tuple[Page, ...] | None:
        """Return the pages that are open, the one in front first; None where no browser answers."""
        answer = self._ask()
        if answer["port"] is None:
            return None
        return tuple(Page(**page) for page in answer["pages"])

    def call(self, target: str, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of a page once.

        Raises:
            GuestFault: there is no answer, or a refusal.
        """
        answer = self._ask(target, (method, params))
        if answer["port"] is None:
            raise GuestFault(f"the browser no longer answers: {method} was not asked")
        (result,) = answer["results"]
        if "error" in result:
            raise GuestFault(f"the browser refused {method}: {result['error'].get('message')}")
        return dict(result["result"])

    def run(self, page: str, function: str, *values: Any) -> Any:
        """Run a JavaScript function in a page, in a world where the page's own scripts have changed nothing.

        Args:
            page: its id.
            function: its text; the values never become part of it.
            values: its arguments, anything that JSON can hold.

        Returns:
            What it gives.

        Raises:
            GuestFault: it could not be run.
        """
        world = self.call(page, "Page.createIsolatedWorld", frameId=page)["executionContextId"]
        arguments = [{"value": value} for value in values]
        function_and_values = {"functionDeclaration": function, "arguments": arguments, "executionContextId": world}
        return _value(self.call(page, "Runtime.callFunctionOn", **function_and_values, **_BY_VALUE))

    def run_as_page(self, page: str, function: str) -> Any:
        """Run a function without arguments as the page's own scripts run; else as `run`."""
        return _value(self.call(page, "Runtime.evaluate", expression=f"({function})()", **_BY_VALUE))

    def open(self, url: str, *, background: bool = False) -> str:
        """Open a page in a tab of its own; return its id at once."""
        return str(self.call(_BROWSER, "Target.createTarget", url=url, background=background)["targetId"])

    def close(self, page: str) -> None:
        """Close a page."""
        self.call(_BROWSER, "Target.closeTarget", targetId=page)

    def wait(self, done: Callable[[], bool], seconds: float) -> bool:
        """Ask until it is so, within a bound; return whether it is so."""
        deadline = time.monotonic() + seconds
        while not done():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.2)
        return True

    def wait_loaded(self, page: str, seconds: float) -> bool:
        """Wait until a page is loaded with all that belongs to it; return whether it is."""
        return self.wait(lambda: self.is_loaded(page), seconds)

    def is_loaded(self, page: str) -> bool:
        """Return whether a page is loaded with all that belongs to it."""
        try:
            return bool(self.run(page, "() => document.readyState === 'complete'"))
        except GuestFault:
            return False  # between two pages, or behind a dialog

    def _ask(self, target: str = "", *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
        request = {"ports": self.place.ports, "target": target, "calls": calls}
        program = resources.files("pytest_rogue.published").joinpath("devtools_program.py").read_text(encoding="utf-8")
        result = self.place.guest.run(["python3", "-c", program], timeout=90.0, input=json.dumps(request))
        try:
            answer: dict[str, Any] = json.loads(result.stdout)
        except ValueError as error:
            said = result.stderr.strip().rpartition("\n")[2] or error
            raise GuestFault(f"the browser's pages could not be asked for: {said}") from error
        return answer


def _value(done: dict[str, Any]) -> Any:
    if "exceptionDetails" in done:
        thrown = done["exceptionDetails"].get("exception", {}).get("description") or "an exception"
        raise GuestFault(f"the page could not be read: {str(thrown).partition(chr(10))[0][:300]}")
    return done["result"].get("value")


def wait_for_browser(guest: GuestClient) -> DevTools:
    """Return the browser that a set-up step has started, once it answers.

    Raises:
        GuestFault: it does not come.
    """
    tools = DevTools(find_browser(guest))
    if not tools.wait(lambda: bool(tools.pages()), SECONDS_TO_START):
        ports = " or ".join(map(str, tools.place.ports))
        raise GuestFault(f"no browser answers at port {ports} of the desktop after {SECONDS_TO_START:g} s")
    return tools


def reach_browser(guest: GuestClient) -> DevTools:
    """Return the browser that runs, for an evaluation.

    One that was started without a DevTools port is closed, and started again with its tabs.

    Raises:
        GuestFileMissing: none runs.
        GuestFault: it does not come again.
    """
    place = find_browser(guest)
    if DevTools(place).pages() is not None:
        return DevTools(place)
    if not place.command:
        raise GuestFileMissing("no browser runs: it was closed")
    guest.run(["python3", "-c", _LET_REST, place.folder], timeout=40.0)
    close_browser(guest, place.folder, keep_tabs=True)
    again = [place.program, f"--remote-debugging-port={PORT}", "--restore-last-session"]
    guest.launch(again, "Chrom", SECONDS_TO_START)
    return wait_for_browser(guest)


def front_page(tools: DevTools) -> Page:
    """Return the page in front, once it is loaded or has had its time.

    Raises:
        GuestFileMissing: no page is open.
    """
    pages = tools.pages()
    if not pages:
        raise GuestFileMissing("no page is open in the browser")
    tools.wait_loaded(pages[0].id, 15.0)
    again = tools.pages() or pages
    return next((page for page in again if page.id == pages[0].id), again[0])
