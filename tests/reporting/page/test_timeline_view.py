"""An episode in a real browser: its moments, the jumps, what was done on the picture, and two side by side."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from pytest_rogue.reporting.page.write import write_page, write_standalone_page
from tests.reporting.page.records import LET_GO, meeting

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.reporting.page.records import RunMaker

    Show = Callable[..., Page]


def test_an_episode_opens_at_its_answer(run: RunMaker, show: Show) -> None:
    run.episode()
    page = show("episode=tidy-0")

    expect(page.locator(".where")).to_have_text("moment 2 of 3, step 2")
    expect(page.locator(".instruction")).to_have_text("Tidy the desk.")
    expect(page.locator(".reasoning")).to_have_text("Somebody asks for the controls.")
    expect(page.locator(".happenings")).to_contain_text("obstacle.answered")


def test_the_click_is_drawn_where_it_went(run: RunMaker, show: Show) -> None:
    run.episode(events=meeting(code="pyautogui.click(200, 150)"))
    page = show("episode=tidy-0")

    picture = page.locator(".screen img").bounding_box()
    mark = page.locator(".mark-click circle.over").bounding_box()
    assert picture
    assert mark
    assert (mark["x"] + mark["width"] / 2 - picture["x"]) / picture["width"] == pytest.approx(200 / 320, abs=0.01)
    assert (mark["y"] + mark["height"] / 2 - picture["y"]) / picture["height"] == pytest.approx(150 / 180, abs=0.01)


def test_what_was_typed_stands_on_the_picture(run: RunMaker, show: Show) -> None:
    run.episode()
    page = show("episode=tidy-0&at=0")

    expect(page.locator(".typed text")).to_have_text("harbour")
    expect(page.locator(".output")).to_have_text("typed")


def test_the_keyboard_moves_jumps_and_stands_in_the_address(run: RunMaker, show: Show) -> None:
    run.episode()
    page = show("episode=tidy-0")
    where = page.locator(".where")
    expect(where).to_have_text("moment 2 of 3, step 2")

    page.keyboard.press("End")
    expect(where).to_have_text("moment 3 of 3, step 3")
    expect(page.locator(".ends")).to_have_text("It said that the task is done.")
    page.keyboard.press("Home")
    expect(where).to_have_text("moment 1 of 3, step 1")
    page.keyboard.press("ArrowRight")
    expect(where).to_have_text("moment 2 of 3, step 2")
    assert page.url.endswith("at=1")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("o")
    expect(where).to_have_text("moment 2 of 3, step 2")
    expect(page.get_by_role("img", name="with the obstacle on it")).to_be_visible()


def test_the_slider_and_the_jumps_work_with_the_mouse(run: RunMaker, show: Show) -> None:
    run.episode()
    page = show("episode=tidy-0&at=0")

    page.get_by_role("button", name="Answer a").click()
    expect(page.locator(".where")).to_contain_text("moment 2")
    page.get_by_role("slider").fill("2")
    expect(page.locator(".where")).to_contain_text("moment 3")
    page.get_by_role("button", name="obstacle.appeared").click()
    expect(page.locator(".where")).to_contain_text("moment 1")


def test_the_accessibility_tree_is_shown_when_it_is_asked_for(run: RunMaker, show: Show) -> None:
    run.episode()
    page = show("episode=tidy-0")

    page.locator(".where").wait_for()
    expect(page.locator(".tree pre")).to_have_count(0)
    page.keyboard.press("x")
    expect(page.locator(".tree pre")).to_have_text("<desktop><label name='picture 1'/></desktop>")


def test_pictures_are_loaded_only_when_they_are_shown(run: RunMaker, page: Page, show: Show) -> None:
    run.episode()
    run.episode(model="m/two")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    show()
    expect(page.locator(".episodes tbody tr")).to_have_count(2)

    assert [url for url in asked if not url.endswith("report.html")] == []
    page.locator("a.open").first.click()
    expect(page.locator(".marks")).to_be_visible()
    assert len([url for url in asked if url.endswith(".png")]) == 1


def test_two_episodes_stand_side_by_side_and_jump_together(run: RunMaker, show: Show) -> None:
    run.episode(model="m/one")
    run.episode(model="m/two", result=LET_GO)
    page = show("episode=tidy-0")

    page.select_option("#beside", "tidy-1")
    heads = page.locator(".pane-head")
    expect(heads).to_contain_text(["m/one", "m/two"])
    expect(page.locator(".marks")).to_have_count(2)
    page.keyboard.press("Home")
    expect(page.locator(".where")).to_contain_text(["moment 1", "moment 2"])
    page.keyboard.press("a")
    expect(page.locator(".where")).to_contain_text(["moment 2", "moment 2"])
    assert re.search(r"with=tidy-1", page.url)


def test_a_judges_quote_leads_to_its_moment(run: RunMaker, page: Page) -> None:
    run.episode()
    answer = {"intent_override": True, "reason": "It went on.", "evidence": ["I type  THE word", "never said"]}
    judged = {
        "nodeid": run.items[0].nodeid,
        "judge": "override_intent",
        "answer": answer,
        "reason": "",
        "by_target": {"rules": {"answer": answer, "problem": ""}},
    }
    judgments = {"judges": [], "episodes": [judged]}
    write_page(run.path, run.report(judgments=judgments))
    page.goto(f"{(run.path / 'report.html').as_uri()}#episode=tidy-0")

    expect(page.locator(".judgments")).to_contain_text("never said (not found in the record)")
    page.get_by_role("button", name="I type THE word").click()
    expect(page.locator(".where")).to_contain_text("moment 1")
    expect(page.locator("blockquote")).to_contain_text("quoted by rules, override intent")


def test_a_copied_run_folder_opens(run: RunMaker, page: Page) -> None:
    run.episode()
    write_page(run.path, run.report())
    elsewhere = run.path.rename(run.path.with_name("a copy #2 of 50%"))
    page.goto(f"{(elsewhere / 'report.html').as_uri()}#episode=tidy-0")

    expect(page.locator(".marks")).to_be_visible()


def test_a_standalone_page_needs_nothing_beside_it(run: RunMaker, page: Page) -> None:
    run.episode()
    alone = write_standalone_page(run.path, run.report()).rename(run.path.with_name("alone.html"))
    page.goto(f"{alone.as_uri()}#episode=tidy-0")

    expect(page.locator(".marks")).to_be_visible()
    page.keyboard.press("x")
    expect(page.locator(".tree pre")).to_contain_text("picture 1")
