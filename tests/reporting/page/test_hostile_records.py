"""Whatever an agent wrote and whatever is missing: the page opens, runs nothing of it, and says what is not there."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from pytest_rogue.reporting.page.write import write_page, write_standalone_page
from tests.reporting.page.records import KEPT, meeting

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.reporting.page.records import RunMaker

    Show = Callable[..., Page]

ATTACKS = (
    "</script><script>document.title = 'taken'</script>",
    "<img src=x onerror=\"document.title = 'taken'\">",
    "<!--<script>",
    "]]>\u2028document.title = 'taken'\u2029",
    "`${document.title = 'taken'}`",
)


@pytest.mark.parametrize("place", range(len(ATTACKS)))
@pytest.mark.parametrize("write", [write_page, write_standalone_page])
def test_markup_of_an_agent_is_shown_as_text_and_does_nothing(
    run: RunMaker, page: Page, write: Callable[..., object], place: int
) -> None:
    attack = ATTACKS[place]
    result = replace(KEPT, verdict_reason=attack, notes=(attack,))
    run.episode(case="tidy", model=attack, result=result, events=meeting(reply=attack, code=f"# {attack}"))
    name = write(run.path, run.report())
    page.goto(f"file://{name}#episode=tidy-0")

    expect(page.locator(".reply")).to_contain_text(attack[:20])
    expect(page.locator(".reason")).to_contain_text(attack[:20])
    expect(page).to_have_title("tidy - pytest-rogue")
    page.keyboard.press("Escape")
    expect(page.locator(".episodes tbody tr")).to_contain_text(attack[:20])
    expect(page).to_have_title("r1 - pytest-rogue")
    assert page.locator("main script, main img").count() == 0


def test_control_characters_and_turned_text_become_visible(run: RunMaker, show: Show) -> None:
    run.episode(events=meeting(reply="a\x00b\x1b[31mc\x08\u202eevil\ud800"))
    page = show("episode=tidy-0")

    expect(page.locator(".reply")).to_have_text("a␀b␛[31mc␈\\u202eevil\\ud800")


def test_five_megabytes_of_reasoning_are_shown_piece_by_piece(run: RunMaker, show: Show) -> None:
    events = meeting()
    events[5][1]["reasoning"] = "thinking " * 600_000
    run.episode(events=events)
    page = show("episode=tidy-0")

    expect(page.get_by_role("button", name="of 5,400,000 characters")).to_be_visible()
    assert len(page.locator(".reasoning").text_content() or "") == 4000
    page.get_by_role("button", name="of 5,400,000 characters").click()
    assert len(page.locator(".reasoning").text_content() or "") == 204_000


def test_a_missing_picture_is_named(run: RunMaker, show: Show) -> None:
    folder = run.episode()
    for picture in (folder / "screens").iterdir():
        picture.unlink()
    page = show("episode=tidy-0")

    expect(page.locator(".absent")).to_contain_text("is not in the run's folder")
    expect(page.locator(".reply")).to_have_text("I click on it.")


def test_half_written_and_damaged_events_are_told_and_the_rest_is_shown(run: RunMaker, show: Show) -> None:
    folder = run.episode()
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    lines[2] = b'{"event": "decision", "rep\xff\n'
    (folder / "events.jsonl").write_bytes(b"".join(lines[:8]) + b'{"event": "scr')
    page = show("episode=tidy-0")

    expect(page.locator(".notice")).to_contain_text(["events.jsonl:3: the line is damaged", "the last line is torn"])
    expect(page.locator(".where")).to_contain_text("moment 2 of 3")


def test_an_episode_whose_folder_is_gone_shows_its_result(run: RunMaker, show: Show) -> None:
    shutil.rmtree(run.episode())
    page = show("episode=tidy-0")

    expect(page.locator(".notice").first).to_contain_text("The folder episodes/tidy-0 is not here")
    expect(page.locator(".result")).to_contain_text("score 1.00")


def test_data_that_was_not_copied_along_is_named(run: RunMaker, show: Show) -> None:
    run.episode()
    page = show()
    shutil.rmtree(run.path / "report-data")

    page.locator("a.open").click()
    expect(page.locator(".notice")).to_contain_text("report-data/tidy-0.js is missing or damaged")


def test_an_address_of_another_run_says_so(run: RunMaker, show: Show) -> None:
    run.episode()

    expect(show("episode=elsewhere-7").locator(".notice")).to_have_text("There is no such episode in this run.")


@pytest.mark.parametrize("folder", ["../outside", "/etc"])
def test_nothing_outside_the_run_folder_is_read(run: RunMaker, show: Show, folder: str) -> None:
    outside = run.episode()
    shutil.copytree(outside, run.path.parent / "outside")
    run.items[0] = replace(run.items[0], folder=folder)
    page = show()

    page.locator("a.open").click()
    expect(page.locator(".notice").first).to_contain_text("is not here; only the result is known")
