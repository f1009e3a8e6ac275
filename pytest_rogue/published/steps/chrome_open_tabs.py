"""The step that opens pages in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field

from pytest_rogue.errors import GuestFault
from pytest_rogue.published.devtools import DevTools, wait_for_browser
from pytest_rogue.published.protocol import Step

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Desk

SECONDS_TO_LOAD = 60.0


class ChromeOpenTabs(Step):
    """Opens pages in this order, each in a tab, and closes the tab that the browser began with."""

    type: ClassVar[str] = "chrome_open_tabs"

    urls_to_open: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]

    def apply(self, desk: Desk) -> None:
        """Open them; the last one is in front.

        Raises:
            InfraError: the browser does not answer, or a site cannot be reached.
        """
        tools = wait_for_browser(desk.guest)
        first = (tools.pages() or ())[:1]
        for url in self.urls_to_open:
            open_page(tools, url)
        for page in first:
            tools.close(page.id)


def open_page(tools: DevTools, url: str) -> str:
    """Open a page in front and return its id.

    A page whose last picture is slow counts as open: what there is of it stands on the screen.

    Raises:
        GuestFault: the site cannot be reached.
    """
    page = tools.open("about:blank")
    problem = tools.call(page, "Page.navigate", url=url).get("errorText")
    if problem:
        raise GuestFault(f"{url} cannot be opened in the desktop's browser ({problem}): the task needs this site")
    tools.wait_loaded(page, SECONDS_TO_LOAD)
    return page
