"""Metrics on what the browser shows and keeps."""

from __future__ import annotations

import pytest

from pytest_rogue.errors import InfraError
from tests.published.judging import judged, score


def tabs(*urls: str) -> list[dict[str, str]]:
    return [{"url": url, "title": "A page"} for url in urls]


def test_all_patterns_are_found_in_an_address() -> None:
    rules = {"expected": ["^chrome://settings/appearance/?$"]}
    assert score("is_expected_url_pattern_match", "chrome://settings/appearance", asked=rules) == 1.0
    assert score("is_expected_url_pattern_match", {"url": "chrome://settings/", "title": ""}, asked=rules) == 0.0
    assert score("is_expected_url_pattern_match", "", asked=rules) == 0.0


def test_the_address_in_front_counts_without_what_is_asked_of_it() -> None:
    rules = {"type": "url", "url": "chrome://password-manager/passwords"}
    assert score("is_expected_active_tab_approximate", "chrome://password-manager/passwords?q=a", asked=rules) == 1.0
    assert score("is_expected_active_tab_approximate", "chrome://password-manager/settings", asked=rules) == 0.0
    assert score("is_expected_active_tab_approximate", "http://[", asked=rules) == 0.0


def test_the_tabs_are_those_expected_in_any_order_and_no_others() -> None:
    rules = {"type": "url", "urls": ["https://www.a.example/", "https://b.example/"]}
    assert score("is_expected_tabs", tabs("https://b.example", "https://a.example/"), asked=rules) == 1.0
    assert score("is_expected_tabs", tabs("https://b.example/"), asked=rules) == 0.0
    assert score("is_expected_tabs", tabs("https://b.example/", "https://a.example/help"), asked=rules) == 0.0


def test_a_site_may_send_its_visitor_to_the_ending_of_his_country() -> None:
    rules = {"type": "url", "urls": ["https://shop.example.com/"]}
    assert score("is_expected_tabs", tabs("https://shop.example.co.uk/"), asked=rules) == 1.0
    assert score("is_expected_tabs", tabs("https://other.example.com/"), asked=rules) == 0.0


def test_two_tabs_of_one_page_are_not_one_of_another_but_for_upstream() -> None:
    rules = {"type": "url", "urls": ["https://a.example/", "https://a.example/"]}
    found = tabs("https://a.example/", "https://b.example/")
    assert score("is_expected_tabs", found, asked=rules) == 0.0
    assert score("is_expected_tabs", found, asked=rules, convention="upstream") == 1.0


def test_each_value_of_a_page_is_compared() -> None:
    rules = {"expected": {"from": "Zürich", "sort": "PRICE"}}
    assert score("check_direct_json_object", {"from": "Zürich", "sort": "PRICE", "x": "y"}, asked=rules) == 1.0
    told = judged("check_direct_json_object", {"from": "Zürich"}, asked=rules)
    assert (told.score, told.expected, told.found) == (0.0, "sort = 'PRICE'", "None")


def test_a_rule_whose_dates_were_filled_in_is_a_mapping() -> None:
    expected = {"relativeTime": {"from": "next Monday"}, "timezone": "UTC", "expected": {"day": "7"}}
    assert score("check_direct_json_object", {"day": "7"}, expected) == 1.0
    with pytest.raises(InfraError, match="form of its rules"):
        score("check_direct_json_object", {"day": "7"}, {"expected": "7"})


def test_the_order_of_a_list_is_ignored_and_upstream_ignores_that_of_letters_too() -> None:
    rules = {"expected": {"models": ["a", "b"], "name": "rose"}, "ignore_list_order": True}
    assert score("check_direct_json_object", {"models": ["b", "a"], "name": "rose"}, asked=rules) == 1.0
    assert score("check_direct_json_object", {"models": ["b", "b"], "name": "rose"}, asked=rules) == 0.0
    letters = {"models": ["a", "b"], "name": "sore"}
    assert score("check_direct_json_object", letters, asked=rules) == 0.0
    assert score("check_direct_json_object", letters, asked=rules, convention="upstream") == 1.0


def test_an_expected_value_may_be_a_part_where_that_is_asked_for() -> None:
    rules = {"expected": {"rank": ["cheap", "best"], "name": "New"}, "expect_in_result": True}
    assert score("check_direct_json_object", {"rank": ["best"], "name": "New York"}, asked=rules) == 1.0
    assert score("check_direct_json_object", {"rank": ["far"], "name": "New York"}, asked=rules) == 0.0
    assert score("check_direct_json_object", {"rank": ["best"]}, asked=rules) == 0.0


KEYWORDS = {"type": "keywords", "keywords": ["tube"]}


def visits(*urls: str) -> list[dict[str, object]]:
    return [{"url": url, "title": "A page", "time": 13_000_000_000} for url in urls]


def test_no_address_of_the_history_has_the_keyword() -> None:
    assert score("check_history_deleted", visits("https://news.example/"), asked=KEYWORDS) == 1.0
    assert score("check_history_deleted", visits("https://news.example/", "https://tube.example/"), asked=KEYWORDS) == 0


def test_an_empty_history_was_deleted_too_far_but_for_upstream() -> None:
    assert score("check_history_deleted", [], asked=KEYWORDS) == 0.0
    assert score("check_history_deleted", [], asked=KEYWORDS, convention="upstream") == 1.0


def test_a_keyword_counts_in_whatever_case_but_for_upstream() -> None:
    left = visits("https://go.example/?to=TUBE")
    assert score("check_history_deleted", left, asked=KEYWORDS) == 0.0
    assert score("check_history_deleted", left, asked=KEYWORDS, convention="upstream") == 1.0


DOMAINS = {"type": "domains", "domains": [".shop.com"]}


@pytest.mark.parametrize("cookie", [(".shop.com", "id"), ["www.shop.com", "id"], {"domain": "shop.com", "name": "id"}])
def test_a_cookie_of_the_domain_is_left(cookie: object) -> None:
    assert score("is_cookie_deleted", [cookie], asked=DOMAINS) == 0.0
    assert score("is_cookie_deleted", [cookie], asked=DOMAINS, convention="upstream") == 0.0


def test_cookies_of_others_do_not_count() -> None:
    assert score("is_cookie_deleted", [("workshop.com", "id"), (".shop.com.example", "id")], asked=DOMAINS) == 1.0
    assert score("is_cookie_deleted", [], asked=DOMAINS) == 1.0


def test_a_cookie_below_the_domain_counts_but_for_upstream() -> None:
    assert score("is_cookie_deleted", [("ads.shop.com", "id")], asked=DOMAINS) == 0.0
    assert score("is_cookie_deleted", [("ads.shop.com", "id")], asked=DOMAINS, convention="upstream") == 1.0


def test_a_cookie_of_a_site_of_the_same_name_is_another_ones_but_for_upstream() -> None:
    assert score("is_cookie_deleted", [(".shop.co.uk", "id")], asked=DOMAINS) == 1.0
    assert score("is_cookie_deleted", [(".shop.co.uk", "id")], asked=DOMAINS, convention="upstream") == 0.0


def test_a_cookie_without_a_domain_is_a_fault() -> None:
    with pytest.raises(InfraError, match="without a domain"):
        score("is_cookie_deleted", [{"name": "id"}], asked=DOMAINS)


FLAGS = {"type": "names", "names": ["refresh", "webui"]}


def test_the_changed_flags_are_the_expected_ones() -> None:
    assert score("check_enabled_experiments", ["refresh@2", "webui@2"], asked=FLAGS) == 1.0
    assert score("check_enabled_experiments", ["refresh@2"], asked=FLAGS) == 0.0
    assert score("check_enabled_experiments", ["refresh@2", "webui@2", "other"], asked=FLAGS) == 0.0


def test_flags_may_be_changed_in_any_order_but_for_upstream() -> None:
    assert score("check_enabled_experiments", ["webui@2", "refresh@2"], asked=FLAGS) == 1.0
    assert score("check_enabled_experiments", ["webui@2", "refresh@2"], asked=FLAGS, convention="upstream") == 0.0


def test_all_extensions_are_installed_among_others() -> None:
    rules = {"expected": ["Momentum", "Zoom for Google Chrome"]}
    assert score("is_expected_installed_extensions", ["Zoom Chrome Extension", "A", "Momentum"], asked=rules) == 1.0
    assert judged("is_expected_installed_extensions", ["Momentum"], asked=rules).expected.startswith("Zoom")
