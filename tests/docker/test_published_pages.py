"""What the published tasks open in a browser, and read of the pages that stand in it."""

from __future__ import annotations

import pytest

from pytest_rogue.errors import GuestFault, GuestFileMissing
from pytest_rogue.published.getters import chrome_page
from pytest_rogue.published.steps import chrome_open_tabs
from tests.docker.published_browser import SITE, BrowserDesk, browser_guest, desk

__all__ = ["browser_guest", "desk"]

pytestmark = pytest.mark.docker

FORM = """
<title>A form</title>
<div class="card"><h3> Apply for a pass </h3></div>
<div class="card"><p>nothing</p></div>
<div class="card"><span><h3>Monday</h3></span></div>
<b id="late"></b>
<form><input value="old"><input></form>
<script>
  document.querySelector("input").value = "A. Visitor";
  setTimeout(() => document.querySelector("#late").textContent = " here ", 500);
</script>
"""


def test_pages_are_opened_in_their_order_and_the_tab_of_the_beginning_is_closed(desk: BrowserDesk) -> None:
    first, second = desk.page("a.html", "<title>A</title>"), desk.page("b.html", "<title>B</title>")
    desk.browse()
    desk.do("chrome_open_tabs", urls_to_open=[first, second])
    assert desk.get("open_tabs_info") == [{"url": second, "title": "B"}, {"url": first, "title": "A"}]
    assert desk.get("active_tab_info", goto_prefix="https://www.") == {"url": second, "title": "B"}


def test_a_browser_is_found_through_the_port_that_the_tasks_forward(desk: BrowserDesk) -> None:
    desk.guest.run(["sh", "-c", "setsid socat tcp-listen:9222,fork tcp:localhost:4444 >/dev/null 2>&1 & echo $!"])
    page = desk.page("a.html", "<title>A</title>")
    desk.guest.launch(["google-chrome", "--remote-debugging-port=4444", page], "A", 60.0)
    assert desk.get("active_tab_info")["url"] == page
    desk.guest.run(["pkill", "-x", "socat"])


def test_a_site_that_cannot_be_reached_is_a_fault_that_names_it(desk: BrowserDesk) -> None:
    desk.browse()
    with pytest.raises(GuestFault, match=r"http://nowhere\.example/ cannot be opened .*net::ERR"):
        desk.do("chrome_open_tabs", urls_to_open=["http://nowhere.example/"])


def test_a_browser_that_was_closed_is_a_finding(desk: BrowserDesk) -> None:
    for kind in ("open_tabs_info", "active_tab_info"):
        with pytest.raises(GuestFileMissing, match="it was closed"):
            desk.get(kind)


def test_a_browser_that_was_started_otherwise_is_started_again_with_its_tabs(desk: BrowserDesk) -> None:
    first, second = desk.page("a.html", "<title>A</title>"), desk.page("b.html", "<title>B</title>")
    desk.guest.launch(["google-chrome", first], "A", 60.0)
    desk.guest.launch(["google-chrome", second], "B", 60.0)
    assert [page["url"] for page in desk.get("open_tabs_info")] == [second, first]


def test_what_an_address_asks_for_is_read_by_its_keys(desk: BrowserDesk) -> None:
    page = desk.page("a.html", "<title>A</title>")
    desk.browse()
    desk.do("chrome_open_tabs", urls_to_open=[f"{page}?place=Z%C3%BCrich&models=x,y&empty="])
    asked = desk.get("active_tab_url_parse", goto_prefix="https://www.", parse_keys=["place", "empty", "other"])
    assert asked == {"place": "Zürich", "empty": "", "other": ""}
    assert desk.get("active_tab_url_parse", parse_keys=["models"], split_list=True) == {"models": ["x", "y"]}


def test_the_address_is_that_of_the_page_and_not_what_was_only_typed(desk: BrowserDesk) -> None:
    tools = desk.browse()
    desk.settings(tools, "chrome://settings/appearance", "() => 0")
    assert desk.get("active_url_from_accessTree", goto_prefix="") == "chrome://settings/appearance"
    desk.guest.run(["xdotool", "key", "ctrl+l"])
    desk.guest.run(["xdotool", "type", "small.localhost/typed"])
    typed = desk.get("active_url_from_accessTree", convention="upstream", goto_prefix="https://")
    assert typed.startswith("https://small.localhost/typed")
    assert desk.get("active_url_from_accessTree", goto_prefix="") == "chrome://settings/appearance"


def test_the_address_of_a_browser_that_answers_nobody_is_what_stands_in_its_bar(desk: BrowserDesk) -> None:
    page = desk.page("a.html", "<title>A</title>")
    desk.guest.launch(["google-chrome", page], "A", 60.0)
    assert desk.get("active_url_from_accessTree", goto_prefix="http://") == page


# --- what stands in a page


@pytest.fixture
def form(desk: BrowserDesk) -> BrowserDesk:
    page = desk.page("form.html", FORM)
    desk.browse()
    desk.do("chrome_open_tabs", urls_to_open=[page])
    return desk


def test_headings_are_read_by_class_and_place_among_those_that_have_one(form: BrowserDesk) -> None:
    wanted = {"card": {"0": "content", "1": "time"}}
    found = form.get("active_tab_html_parse", category="class", class_multiObject_only_child=wanted)
    assert found == {"content": "Apply for a pass", "time": "Monday"}


def test_what_was_typed_into_a_field_is_read_and_not_what_it_began_with(form: BrowserDesk) -> None:
    found = form.get("active_tab_html_parse", category="input", inputObject={"/html/body/form/input[1]": "name"})
    assert found == {"name": "A. Visitor"}


def test_a_text_that_the_page_fills_in_later_is_waited_for(form: BrowserDesk) -> None:
    found = form.get("active_tab_html_parse", category="xpath", xpathObject={"//b[@id='late']": "late"})
    assert found == {"late": "here"}


def test_what_is_not_in_the_page_is_empty(form: BrowserDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chrome_page, "PATIENCE", 0.0)
    paths = {"//h3": "heading", "//h9": "nothing"}
    found = form.get("active_tab_html_parse", category="xpath", xpathObject=paths)
    assert found == {"heading": "Apply for a pass", "nothing": ""}


def test_a_path_that_is_no_xpath_is_a_fault(form: BrowserDesk) -> None:
    with pytest.raises(GuestFault, match="could not be read"):
        form.get("active_tab_html_parse", category="xpath", xpathObject={"//[": "x"})


def test_the_pages_own_scripts_cannot_change_what_is_read(desk: BrowserDesk) -> None:
    lie = "<script>Document.prototype.evaluate = () => ({singleNodeValue: {textContent: 'lie'}})</script><b>truth</b>"
    desk.browse()
    desk.do("chrome_open_tabs", urls_to_open=[desk.page("lie.html", lie)])
    assert desk.get("active_tab_html_parse", category="xpath", xpathObject={"//b": "said"}) == {"said": "truth"}


def test_a_page_with_a_waiting_dialog_keeps_nobody_waiting_for_ever(
    desk: BrowserDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chrome_open_tabs, "SECONDS_TO_LOAD", 1.0)
    page = desk.page("dialog.html", "<title>Asks</title><body onload='setTimeout(() => alert(1), 100)'>")
    desk.browse()
    desk.do("chrome_open_tabs", urls_to_open=[page])
    assert desk.get("active_tab_info")["url"] == page


def test_cookies_are_read_by_domain_and_name(desk: BrowserDesk) -> None:
    desk.browse()
    desk.do("chrome_open_tabs", urls_to_open=[desk.page("a.html", "<title>A</title>")])
    assert desk.get("cookie_data", dest="Cookies") == [{"domain": "small.localhost", "name": "seen"}]
    assert SITE in desk.get("history", dest="history.sqlite")[0]["url"]
