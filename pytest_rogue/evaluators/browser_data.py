"""Checks of what Chromium keeps of the sites that were visited."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from pytest_rogue.evaluators.browser_database import read_rows
from pytest_rogue.evaluators.browser_profile import ProfileDamaged, close_browser
from pytest_rogue.evaluators.protocol import Evaluator, Finding, GuestReader

_SOURCES = {
    "history": ("Default/History", "urls", ("url",)),
    "cookies": ("Default/Cookies", "cookies", ("host_key",)),
}


class BrowserData(Evaluator):
    """History or cookies, by host: `kept` says how many entries there are at least, of the hosts in `gone` is none."""

    name: ClassVar[str] = "browser_data"
    disturbs: ClassVar[bool] = True

    what: Literal["history", "cookies"]
    kept: dict[str, int] = Field(default_factory=dict)
    gone: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _asks_something(self) -> BrowserData:
        if not self.kept and not self.gone:
            raise ValueError("give kept, gone, or both")
        return self

    def look(self, reader: GuestReader) -> Finding:
        """Close the browser and count."""
        expected = f"{self.what}: " + ", ".join(
            [*(f"{number} of {host}" for host, number in self.kept.items()), *(f"none of {host}" for host in self.gone)]
        )
        close_browser(reader)
        try:
            hosts = Counter(self._host(entry) for (entry,) in read_rows(reader, *_SOURCES[self.what]))
        except ProfileDamaged as error:
            return Finding(0.0, expected, str(error))
        right = all(hosts[host] >= number for host, number in self.kept.items())
        right = right and not any(hosts[host] for host in self.gone)
        found = ", ".join(f"{hosts[host]} of {host}" for host in (*self.kept, *self.gone))
        return Finding.of(right, expected=expected, found=found)

    def _host(self, entry: Any) -> str:
        if self.what == "cookies":
            return str(entry).lstrip(".").lower()
        try:
            return urlsplit(str(entry)).hostname or ""
        except ValueError:
            return ""
