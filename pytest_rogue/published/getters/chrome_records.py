"""What the browser keeps of the sites that were visited."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pytest_rogue.published.browse_history import unix_seconds
from pytest_rogue.published.browser_place import find_browser
from pytest_rogue.published.protocol import Getter

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Desk


class History(Getter):
    """The pages of the history: `url`, `title`, and `time` of the last visit in seconds since 1970."""

    type: ClassVar[str] = "history"

    dest: str

    def get(self, desk: Desk) -> list[dict[str, str | float]]:
        """Close the browser and read."""
        rows = find_browser(desk.guest).rows("Default/History", "urls", "url", "title", "last_visit_time")
        return [
            {"url": str(url), "title": str(title or ""), "time": unix_seconds(int(time))} for url, title, time in rows
        ]


class Cookies(Getter):
    """The cookies: `domain` and `name`; their values are nobody's business."""

    type: ClassVar[str] = "cookie_data"

    dest: str

    def get(self, desk: Desk) -> list[dict[str, str]]:
        """Close the browser and read."""
        rows = find_browser(desk.guest).rows("Default/Cookies", "cookies", "host_key", "name")
        return [{"domain": str(domain), "name": str(name)} for domain, name in rows]
