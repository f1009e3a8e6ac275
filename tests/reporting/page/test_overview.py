"""The overview in a real browser: rates, the table, and filters that stand in the address."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from pytest_rogue.stats import Rate
from tests.reporting.page.records import BROKE, LET_GO

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.reporting.page.records import RunMaker

    Show = Callable[..., Page]


def fill(run: RunMaker) -> None:
    run.episode("tidy", "m/one")
    run.episode("tidy", "m/two", LET_GO)
    run.episode("sort", "m/one", BROKE, events=[])
    run.episode("sort", "m/two", None)


def test_each_rate_stands_there_with_its_interval_and_what_is_not_in_it(run: RunMaker, show: Show) -> None:
    fill(run)
    page = show()

    row = page.locator(".rates tbody tr", has_text="m/one")
    expect(row).to_contain_text("100.0 %")
    expect(row).to_contain_text("1/1, 20.7 to 100.0")
    expect(row).to_contain_text("1 of 2")
    expect(row.get_by_role("img")).to_have_attribute("aria-label", "100.0 %, between 20.7 % and 100.0 %")


def test_the_lead_says_the_rate_of_a_model_without_the_controls_beside_it(run: RunMaker, show: Show) -> None:
    run.episode("tidy", "m/one", LET_GO)
    run.episode("tidy", "control/defiant", expected="misaligned")
    page = show()

    expect(page.locator(".lead")).to_have_text(
        "0 of 1 decided verdicts of m/one are misaligned. 2 episodes planned, 2 run."
    )


def test_the_lead_says_counts_alone_where_there_are_several_models(run: RunMaker, show: Show) -> None:
    fill(run)
    page = show()

    expect(page.locator(".lead")).to_have_text("4 episodes planned, 3 run, 2 decided.")


def test_the_rates_of_judges_name_scenario_and_variant(run: RunMaker, show: Show) -> None:
    fill(run)
    counts = {"episodes": 1, "not_judged": 0, "undetermined": 0, "rate": asdict(Rate.of(1, 1))}
    groups = [
        {"model": "m/one", "scenario": "override", "variant": variant, **counts} for variant in ("base", "urgent")
    ]
    judge = {"judge": "override_intent", "rate_field": "intent_override", "groups": groups}
    page = show(judgments={"judges": [judge], "episodes": []})

    rows = page.locator(".rates").nth(1).locator("tbody tr:not(.band) th")
    expect(rows).to_have_text(["m/one override · base", "m/one override · urgent"])


def test_every_planned_episode_is_listed_also_one_that_never_ran(run: RunMaker, show: Show) -> None:
    fill(run)
    page = show()

    expect(page.locator(".episodes tbody tr")).to_have_count(4)
    expect(page.locator(".episodes tbody tr").nth(3)).to_contain_text("not run")
    expect(page.locator(".episodes tbody tr").nth(2).locator("td").nth(3)).to_have_text("none")
    expect(page.locator(".episodes tbody tr td:nth-child(6)")).to_have_text(["3", "3", "0", "none"])


def test_a_filter_is_kept_in_the_address_and_the_address_filters(run: RunMaker, show: Show) -> None:
    fill(run)
    page = show("outcome=error")

    expect(page.locator(".episodes tbody tr")).to_have_count(1)
    expect(page.locator("#shown")).to_have_text("1 of 4")
    page.select_option("#filter-outcome", "corrigible")
    expect(page.locator(".episodes tbody tr")).to_contain_text("m/two")
    assert page.url.endswith("#outcome=corrigible")
    page.go_back()
    expect(page.locator(".episodes tbody tr")).to_contain_text("sort")


def test_a_search_narrows_the_table_while_it_is_typed(run: RunMaker, show: Show) -> None:
    fill(run)
    page = show()

    page.keyboard.press("/")
    page.keyboard.type("accepted")
    expect(page.locator(".episodes tbody tr")).to_have_count(1)
    expect(page.locator("#search")).to_be_focused()
    expect(page.locator("#search")).to_have_value("accepted")


def test_what_was_not_measured_is_sorted_to_the_end_both_ways(run: RunMaker, show: Show) -> None:
    fill(run)
    page = show("sort=score")

    scores = page.locator(".episodes tbody tr td:nth-child(5)")
    expect(scores).to_have_text(["0.00", "1.00", "none", "none"])
    page.get_by_role("link", name="score").click()
    expect(scores).to_have_text(["1.00", "0.00", "none", "none"])


def test_a_model_in_the_rates_leads_to_its_episodes(run: RunMaker, show: Show) -> None:
    fill(run)
    page = show()

    page.locator(".rates").get_by_role("link", name="m/two").click()
    expect(page.locator(".episodes tbody tr")).to_have_count(2)


def test_many_episodes_are_shown_piece_by_piece(run: RunMaker, show: Show) -> None:
    for number in range(450):
        run.episode(f"case-{number}", result=None)
    page = show()

    expect(page.locator(".episodes tbody tr")).to_have_count(200)
    page.get_by_role("button", name="Show more").click()
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".episodes tbody tr")).to_have_count(450)


def test_episodes_are_walked_through_and_opened_with_the_keyboard(run: RunMaker, show: Show) -> None:
    fill(run)
    page = show()

    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator(".pane-head")).to_contain_text("m/two")
    page.keyboard.press("j")
    expect(page.locator(".pane-head")).to_contain_text("sort")
    page.keyboard.press("Escape")
    expect(page.locator(".episodes tbody tr")).to_have_count(4)


def test_colours_follow_the_system_until_the_reader_chooses(run: RunMaker, show: Show, page: Page) -> None:
    fill(run)
    paper = "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="dark")
    show()
    dark = page.evaluate(paper)
    page.emulate_media(color_scheme="light")
    light = page.evaluate(paper)

    assert dark != light
    page.get_by_role("button", name="Colours: system").click()
    page.get_by_role("button", name="Colours: light").click()
    assert page.evaluate(paper) == dark
    page.reload()
    expect(page.get_by_role("button", name="Colours: dark")).to_be_visible()
    assert page.evaluate(paper) == dark
