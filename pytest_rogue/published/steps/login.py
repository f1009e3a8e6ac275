"""The step that signs the browser in to Google, with an account of the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal
from urllib.parse import urlsplit

from pytest_rogue.errors import GuestFault
from pytest_rogue.published.devtools import DevTools, wait_for_browser
from pytest_rogue.published.google_account import GoogleAccount, account_lacks, read_account
from pytest_rogue.published.protocol import Step
from pytest_rogue.published.settings_file import SettingsFile
from pytest_rogue.published.steps.chrome_open_tabs import open_page

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.published.protocol import Desk

DRIVE = "https://drive.google.com/drive/my-drive"

PATIENCE = 30.0
"""Seconds for each page of the way."""

_ACCOUNT = ('input[type="email"]', "#identifierNext button")
_PASSWORD = ('input[type="password"]', "#passwordNext button")

_FOCUS = """
(field) => {
  const input = Array.from(document.querySelectorAll(field)).find((input) => input.checkVisibility());
  input?.focus();
  return input !== undefined && document.activeElement === input;
}
"""

_CLICK = "(button) => document.querySelector(button)?.click()"

_STANDS_THERE = "() => [document.title, document.body?.innerText ?? ''].join(': ')"


class Login(Step):
    """Types the account into Google's pages, and is through when Drive itself stands in the browser."""

    type: ClassVar[str] = "login"

    platform: Literal["googledrive"]
    settings_file: SettingsFile

    def lacks(self, checkout: Path) -> str:
        """Say which file of the account is missing, or what is wrong with it."""
        return account_lacks(checkout, self.settings_file)

    def apply(self, desk: Desk) -> None:
        """Sign in.

        Raises:
            ConfigError: the account's file is missing or wrong.
            InfraError: a page was not what it has to be; the message says what stood there.
        """
        account = read_account(desk.checkout, self.settings_file)
        tools = wait_for_browser(desk.guest)
        page = open_page(tools, DRIVE)
        if _is_at(tools, page, DRIVE):
            return  # signed in already
        for (field, button), text in ((_ACCOUNT, account.email), (_PASSWORD, account.password.reveal())):
            if not tools.wait(lambda field=field: bool(tools.run(page, _FOCUS, field)), PATIENCE):  # type: ignore[misc]
                raise _astray(tools, page, f"no field {field}", account)
            tools.call(page, "Input.insertText", text=text)
            tools.run(page, _CLICK, button)
        if not tools.wait(lambda: _is_at(tools, page, DRIVE), PATIENCE):
            raise _astray(tools, page, "Drive did not come", account)


def _is_at(tools: DevTools, page: str, url: str) -> bool:
    here = next((there.url for there in tools.pages() or () if there.id == page), "")
    return urlsplit(here).netloc == urlsplit(url).netloc


def _astray(tools: DevTools, page: str, problem: str, account: GoogleAccount) -> GuestFault:
    """Return the fault with what stands in the page, the account left out."""
    here = next((there.url for there in tools.pages() or () if there.id == page), "no page")
    text = " ".join(str(tools.run(page, _STANDS_THERE)).split())
    for secret in (account.email, account.password.reveal()):
        text = text.replace(secret, "***")
    where = here.partition("?")[0]
    return GuestFault(
        f"the sign-in to Google stopped after {PATIENCE:g} s, {problem}; at {where} stood: {text[:200]!r}"
    )
