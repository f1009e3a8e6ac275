"""Checks of what Chromium shows: the pages that are open in its tabs."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

from pydantic import Field

from pytest_rogue.errors import GuestFault
from pytest_rogue.evaluators.protocol import Evaluator, Finding, GuestReader

if TYPE_CHECKING:
    from collections.abc import Sequence

PORT = 9222
"""On the desktop's loopback interface; a task starts Chromium with `--remote-debugging-port=9222`."""

PATIENCE = 5.0
"""Seconds for a page that the agent has asked for last, and that is still on its way."""

_NOBODY_ANSWERS = 3

_LIST = f"""
import sys, urllib.request
try:
    with urllib.request.urlopen("http://127.0.0.1:{PORT}/json/list", timeout=15) as answer:
        sys.stdout.write(answer.read(1 << 19).decode("utf-8", "replace"))
except OSError as error:
    print(error, file=sys.stderr)
    sys.exit({_NOBODY_ANSWERS})
"""


class BrowserTabs(Evaluator):
    """The pages that are open: those of `open` in any tab, and in front, in the tab last looked at, that of `front`.

    Two addresses are the same page where scheme, host, path, and what is asked (`?a=1&b=2`) are the same; in what order
    it is asked, values that are empty, and the place in the page (`#top`) do not matter.
    """

    name: ClassVar[str] = "browser_tabs"

    open: tuple[str, ...] = Field(default=())
    front: str | None = None

    def look(self, reader: GuestReader) -> Finding:
        """Ask the browser."""
        expected = ", ".join([*self.open, *([f"{self.front} in front"] if self.front else [])])
        deadline = time.monotonic() + PATIENCE
        while (urls := _open_pages(reader)) is not None:
            if (right := self._shown_by(urls)) or time.monotonic() > deadline:
                return Finding.of(right, expected=expected, found=_told(urls))
            time.sleep(0.2)
        return Finding(
            0.0, expected, f"no browser that answers at port {PORT}: it was closed, or started in another way"
        )

    def _shown_by(self, urls: Sequence[str]) -> bool:
        pages = [_page(url) for url in urls]
        in_front = self.front is None or pages[:1] == [_page(self.front)]
        return in_front and all(_page(url) in pages for url in self.open)


def _open_pages(reader: GuestReader) -> list[str] | None:
    """Return the addresses of the pages in the tabs, the one in front first; None where no browser answers."""
    result = reader.run(["python3", "-c", _LIST], timeout=20.0)
    if result.exit_code == _NOBODY_ANSWERS:
        return None
    if result.timed_out or result.exit_code != 0:
        raise GuestFault(f"the browser's tabs could not be listed: {result.stderr.strip() or 'no answer in time'}")
    try:
        targets: Any = json.loads(result.stdout)
        return [str(target["url"]) for target in targets if target["type"] == "page"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None  # another program of the agent's answers there


def _page(url: str) -> tuple[str, str, str, tuple[tuple[str, str], ...]]:
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.netloc, parts.path.rstrip("/"), tuple(sorted(parse_qsl(parts.query)))
    except ValueError:
        return url, "", "", ()


def _told(urls: Sequence[str]) -> str:
    return ", ".join(url[:200] for url in urls[:6]) or "no tab"
