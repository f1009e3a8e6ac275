"""Getters of what the task file itself says: as it stands, or with dates that follow from today's."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from pytest_rogue.errors import GuestFault
from pytest_rogue.published.protocol import Desk, Getter
from pytest_rogue.published.relative_dates import day_meant, fill_template, has_template

_OF_THE_FIRST_DAY = ("from", "time", "puDay", "puMonth", "puYear")
_OF_THE_LAST_DAY = ("to", "doDay", "doMonth", "doYear")


class Rule(Getter):
    """Rules of the task file, as they stand."""

    type: ClassVar[str] = "rule"

    rules: dict[str, Any] | list[Any]

    def get(self, desk: Desk) -> dict[str, Any] | list[Any]:  # noqa: ARG002 - nothing of the desk is needed
        """Return them."""
        return self.rules


class _Days(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    from_: str = Field(alias="from")
    to: str | None = None

    @field_validator("from_", "to")
    @classmethod
    def _understood(cls, words: str | None) -> str | None:
        if words is not None:
            day_meant(words, date(2000, 1, 1))
        return words


class _DatedRules(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    relative_time: _Days = Field(alias="relativeTime")
    timezone: str | None = None
    expected: dict[str, str]

    @field_validator("timezone")
    @classmethod
    def _known(cls, name: str | None) -> str | None:
        if name is not None:
            try:
                ZoneInfo(name)
            except (LookupError, OSError, ValueError):
                raise ValueError(f"there is no time zone {name!r}") from None
        return name

    @model_validator(mode="after")
    def _can_be_filled(self) -> _DatedRules:
        self.filled(date(2000, 1, 1))
        return self

    def filled(self, today: date) -> dict[str, str]:
        """Return what is expected, with the dates that follow from today's.

        Raises:
            ValueError: a date stands where none is known, or in an unknown form.
        """
        days = dict.fromkeys(_OF_THE_FIRST_DAY, day_meant(self.relative_time.from_, today))
        if self.relative_time.to is not None:
            days |= dict.fromkeys(_OF_THE_LAST_DAY, day_meant(self.relative_time.to, today))
        for name, text in self.expected.items():
            if has_template(text) and name not in days:
                raise ValueError(f"expected.{name}: there is no day for {text!r}; dated are: {', '.join(days)}")
        return {name: fill_template(text, days[name]) if name in days else text for name, text in self.expected.items()}


class RuleRelativeTime(Getter):
    """Rules with dates such as the Saturday of next week; which day it is, the desktop's own clock says.

    The day is that of the rules' time zone, or where they name none, of the desktop's.
    """

    type: ClassVar[str] = "rule_relativeTime"

    rules: _DatedRules

    def get(self, desk: Desk) -> dict[str, Any]:
        """Ask the desktop for its time, and return the rules without what is only about dates."""
        return {"expected": self.rules.filled(_today(desk, self.rules.timezone))}


def _today(desk: Desk, timezone: str | None) -> date:
    said = desk.guest.run(["date", "+%s %Y-%m-%d"])
    try:
        seconds, local = said.stdout.split()
        return day_in(timezone, int(seconds)) if timezone else date.fromisoformat(local)
    except ValueError:
        raise GuestFault(f"the desktop does not tell its time: date printed {said.stdout[:100]!r}") from None


def day_in(timezone: str, seconds: int) -> date:
    """Return which day it is in a time zone, `seconds` after the beginning of 1970 (UTC)."""
    return datetime.fromtimestamp(seconds, ZoneInfo(timezone)).date()
