"""Which pages are open in the browser, and what the address of the one in front says."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

from pytest_rogue.errors import GuestFault, GuestFileMissing
from pytest_rogue.published.browser_place import find_browser
from pytest_rogue.published.devtools import DevTools, front_page, reach_browser
from pytest_rogue.published.protocol import Getter

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Desk

_APPLICATIONS = ("Google Chrome", "Chromium")

_ADDRESS = "Address and search bar"

_SECONDS_TO_LOAD = 15.0


class OpenTabsInfo(Getter):
    """The pages of all tabs: `url` and `title`, the one in front first."""

    type: ClassVar[str] = "open_tabs_info"

    def get(self, desk: Desk) -> list[dict[str, str]]:
        """Ask the browser, once all pages are loaded or have had their time."""
        tools = reach_browser(desk.guest)
        pages = tools.pages() or ()
        tools.wait(lambda: all(tools.is_loaded(page.id) for page in pages), _SECONDS_TO_LOAD)
        return [{"url": page.url, "title": page.title} for page in tools.pages() or ()]


class ActiveTabInfo(Getter):
    """The page in front: `url` and `title`. The browser tells the whole address, so no prefix has to be guessed."""

    type: ClassVar[str] = "active_tab_info"

    goto_prefix: str = "https://"

    def get(self, desk: Desk) -> dict[str, str]:
        """Ask the browser."""
        page = front_page(reach_browser(desk.guest))
        return {"url": page.url, "title": page.title}


class ActiveUrl(Getter):
    """The address of the page in front.

    It is asked of the browser, so that what was only typed into the address bar does not count. Where the browser does
    not answer, and always by the published convention, it is what stands in that bar, after the prefix it leaves out.
    """

    type: ClassVar[str] = "active_url_from_accessTree"

    goto_prefix: str = "https://"

    def get(self, desk: Desk) -> str:
        """Ask the browser, or read the accessibility tree."""
        if desk.convention == "upstream":
            return self.goto_prefix + _typed(desk)
        tools = DevTools(find_browser(desk.guest))
        if tools.pages():
            return front_page(tools).url
        typed = _typed(desk)
        return typed if "://" in typed else self.goto_prefix + typed


class ActiveUrlParse(Getter):
    """What the address of the page in front asks for (`?a=1&b=2`), by key; empty for a key that is not there."""

    type: ClassVar[str] = "active_tab_url_parse"

    goto_prefix: str = "https://"
    parse_keys: list[str]
    split_list: bool = False

    def get(self, desk: Desk) -> dict[str, str | list[str]]:
        """Ask the browser; with `split_list` values are cut at their commas."""
        url = front_page(reach_browser(desk.guest)).url
        asked = parse_qs(urlsplit(url).query)
        found = {key: asked.get(key, [""])[0] for key in self.parse_keys}
        return {key: value.split(",") if self.split_list else value for key, value in found.items()}


def _typed(desk: Desk) -> str:
    """Return what stands in the address bar, of the window in front if there are several."""
    seen = desk.guest.read_tree()
    try:
        root = ET.fromstring(seen.xml)  # noqa: S314 - expat, without a document type
    except ET.ParseError as error:
        raise GuestFault(f"the accessibility tree cannot be read: {error}") from error
    windows = [
        window
        for program in root.iter("application")
        if program.get("name") in _APPLICATIONS
        for window in program.iter("frame")
    ]
    windows.sort(key=lambda window: not any(key.endswith("}active") for key in window.attrib))
    for window in windows:
        for entry in window.iter("entry"):
            if entry.get("name") == _ADDRESS:
                return entry.text or ""
    if seen.problem:
        raise GuestFault(f"it cannot be told what stands in the address bar: {seen.problem}")
    raise GuestFileMissing("no address bar of a browser stands on the screen")
