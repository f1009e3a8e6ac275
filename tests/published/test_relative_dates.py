"""Days that are named by today's, and the forms in which task files write them."""

from __future__ import annotations

import json
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_rogue.published.getters.rules import RuleRelativeTime, day_in
from pytest_rogue.published.relative_dates import day_meant, fill_template

MONDAY, SUNDAY = date(2026, 11, 30), date(2026, 12, 6)


@pytest.mark.parametrize(
    ("words", "today", "meant"),
    [
        ("next week Saturday", MONDAY, date(2026, 12, 12)),
        ("next week Saturday", SUNDAY, date(2026, 12, 12)),
        ("next week Friday", date(2026, 12, 31), date(2027, 1, 8)),
        ("next week Sunday", date(2028, 2, 28), date(2028, 3, 12)),
        ("next Monday split", MONDAY, date(2026, 12, 7)),
        ("next Monday split", SUNDAY, date(2026, 12, 7)),
        ("next Friday split", MONDAY, date(2026, 12, 11)),
        ("next Friday split", date(2026, 12, 4), date(2026, 12, 11)),
        ("first monday eight months later", date(2026, 1, 15), date(2026, 9, 7)),
        ("first monday eight months later", date(2026, 4, 30), date(2026, 12, 7)),
        ("first monday eight months later", date(2026, 5, 1), date(2027, 1, 4)),
        ("first monday eight months later", date(2026, 10, 31), date(2027, 6, 7)),
        ("first monday eight months later", date(2027, 10, 31), date(2028, 6, 5)),
        ("first monday eight months later", date(2024, 6, 30), date(2025, 2, 3)),
        ("first monday four months later", date(2026, 8, 1), date(2026, 12, 7)),
    ],
)
def test_the_day_that_is_meant(words: str, today: date, meant: date) -> None:
    assert day_meant(words, today) == meant


@given(st.dates(date(1970, 1, 1), date(2200, 1, 1)))
def test_friday_is_four_days_after_the_monday_of_the_same_words(today: date) -> None:
    monday = day_meant("next Monday split", today)
    assert today < monday <= today + timedelta(days=7)
    assert day_meant("next Friday split", today) - monday == timedelta(days=4)


@given(st.dates(date(1970, 1, 1), date(2200, 1, 1)))
def test_the_first_monday_of_a_month_is_one_of_its_first_seven_days(today: date) -> None:
    meant = day_meant("first monday eight months later", today)
    assert meant.weekday() == 0
    assert meant.day <= 7
    assert (meant.year * 12 + meant.month) - (today.year * 12 + today.month) == 8


def test_a_day_is_written_in_all_forms() -> None:
    template = "{DoW} {Month} {MonthFull} {MonthD} {Month0D} {DayD} {Day0D} {Year}"
    assert fill_template(template, date(2027, 2, 3)) == "Wed Feb February 2 02 3 03 2027"


def test_a_form_may_stand_twice() -> None:
    assert fill_template("{DayD}/{DayD}", date(2027, 2, 3)) == "3/3"


@pytest.mark.parametrize(
    ("zone", "seconds", "day"),
    [
        ("Europe/Zurich", 1_774_742_399, date(2026, 3, 29)),  # 00:59:59 there, in the night the clocks go forward
        ("America/New_York", 1_774_742_399, date(2026, 3, 28)),
        ("Europe/Zurich", 1_792_879_199, date(2026, 10, 24)),  # a second before midnight, in summer time
        ("Europe/Zurich", 1_792_965_599, date(2026, 10, 25)),  # 22:59:59, winter time by then
        ("Europe/Zurich", 1_792_969_200, date(2026, 10, 26)),
        ("Pacific/Kiritimati", 1_798_711_200, date(2027, 1, 1)),
    ],
)
def test_the_day_is_that_of_the_time_zone(zone: str, seconds: int, day: date) -> None:
    assert day_in(zone, seconds) == day


def test_dates_of_a_car_hire_follow_from_both_days() -> None:
    expected = {"puDay": "{DayD}", "puMonth": "{MonthD}", "doDay": "{DayD}", "doYear": "{Year}", "place": "Zurich"}
    rules = {"relativeTime": {"from": "next Monday split", "to": "next Friday split"}, "expected": expected}
    getter = RuleRelativeTime.model_validate_json(json.dumps({"rules": rules}))
    filled = getter.rules.filled(date(2026, 12, 24))
    assert filled == {"puDay": "28", "puMonth": "12", "doDay": "1", "doYear": "2027", "place": "Zurich"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"relativeTime": {"from": "some day"}}, "'some day' means no day"),
        ({"timezone": "Mars/Base"}, "there is no time zone 'Mars/Base'"),
        ({"timezone": "../../etc/passwd"}, "there is no time zone"),
        ({"expected": {"time": "{Century}"}}, "{Century} is no form of a date"),
        ({"expected": {"to": "{Year}"}}, "expected.to: there is no day for '{Year}'"),
        ({"clock": 1}, "Extra inputs are not permitted"),
    ],
)
def test_rules_that_mean_no_date_are_refused(change: dict[str, object], said: str) -> None:
    rules = {"relativeTime": {"from": "next week Friday"}, "expected": {"time": "{Year}"}} | change
    with pytest.raises(ValidationError) as refused:
        RuleRelativeTime.model_validate_json(json.dumps({"rules": rules}))
    assert said in str(refused.value)
