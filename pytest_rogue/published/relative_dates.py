"""Days that task files name by today's (`next week Saturday`), and the forms in which they write a day."""

from __future__ import annotations

import re
from datetime import date, timedelta

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

_WEEKDAY = f"(?P<weekday>{'|'.join(_WEEKDAYS)})"
_OF_NEXT_WEEK = re.compile(rf"next week {_WEEKDAY}|next (?P<split>{'|'.join(_WEEKDAYS)}) split", re.IGNORECASE)
_FIRST_OF_A_MONTH = re.compile(rf"first {_WEEKDAY} (?P<months>{'|'.join(_NUMBERS)}) months? later", re.IGNORECASE)

_TEMPLATE = re.compile(r"\{(\w+)\}")


def day_meant(words: str, today: date) -> date:
    """Return the day that is meant.

    Args:
        words: `next week Saturday`, `next Monday split` (both of the week after this one; weeks begin on Monday), or
            `first monday eight months later` (of that month).
        today: where it is.

    Raises:
        ValueError: they mean no day.
    """
    if found := _OF_NEXT_WEEK.fullmatch(words):
        weekday = _WEEKDAYS.index((found["weekday"] or found["split"]).lower())
        return today + timedelta(days=7 - today.weekday() + weekday)
    if found := _FIRST_OF_A_MONTH.fullmatch(words):
        months = today.year * 12 + today.month - 1 + _NUMBERS.index(found["months"].lower()) + 1
        first = date(months // 12, months % 12 + 1, 1)
        return first + timedelta(days=(_WEEKDAYS.index(found["weekday"].lower()) - first.weekday()) % 7)
    raise ValueError(
        f"{words!r} means no day; days are written like 'next week Saturday', 'next Monday split', "
        "or 'first monday eight months later'"
    )


def fill_template(template: str, day: date) -> str:
    """Return a text with a day in the place of `{DoW}`, `{Month}`, `{DayD}` and their like, in English.

    Raises:
        ValueError: a form is unknown.
    """
    month = _MONTHS[day.month - 1]
    forms = {
        "DoW": _WEEKDAYS[day.weekday()][:3].capitalize(),
        "Month": month[:3],
        "MonthFull": month,
        "MonthD": str(day.month),
        "Month0D": f"{day.month:02}",
        "DayD": str(day.day),
        "Day0D": f"{day.day:02}",
        "Year": str(day.year),
    }

    def form(found: re.Match[str]) -> str:
        if found[1] not in forms:
            raise ValueError(f"{found[0]} is no form of a date; there are: {', '.join(forms)}")
        return forms[found[1]]

    return _TEMPLATE.sub(form, template)


def has_template(text: str) -> bool:
    """Tell whether a date is to be put into a text."""
    return _TEMPLATE.search(text) is not None
