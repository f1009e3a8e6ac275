from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.reporting.page.write import write_page
from tests.reporting.page.records import RunMaker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page


@pytest.fixture
def run(tmp_path: Path) -> RunMaker:
    """Return a run without episodes."""
    return RunMaker(tmp_path / "run")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return a real browser without a window."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no browser here: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Its own sandbox needs rights that a container does not give; it opens our own pages only.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Return a page that has no network; a fault of its program, or something it was refused, fails the test."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, offline=True)
    context.set_default_timeout(60_000)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    context.close()
    assert problems == []


@pytest.fixture
def show(run: RunMaker, page: Page) -> Callable[..., Page]:
    """Write the run's page and open it from its file, with what stands behind the # in the address.

    What is given by name stands in its report besides.
    """

    def show(address: str = "", **more: Any) -> Page:
        write_page(run.path, run.report(**more))
        page.goto(f"{(run.path / 'report.html').as_uri()}#{address}")
        return page

    return show
