"""What rented machines cost: from when they are asked for until they are gone, or would have ended by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rogue.records import rents
from pytest_rogue.records.leases import LeaseBook
from pytest_rogue.records.rents import MachineSpend, Rent
from pytest_rogue.records.spend import SpendBook
from pytest_rogue.reporting.spend import spend_block, spend_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOLLAR_AN_HOUR = Rent("large", 1.0, longest=7200)


class Clock:
    """What time it is, in seconds."""

    def __init__(self) -> None:
        self.now = 1e9

    def time(self) -> float:
        return self.now

    def pass_hours(self, hours: float) -> None:
        self.now += hours * 3600


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(rents, "time", clock)
    return clock


@pytest.fixture
def leases(tmp_path: Path) -> LeaseBook:
    return LeaseBook(tmp_path / "run.sqlite", limit=9, spares=9)


@pytest.fixture
def spend(tmp_path: Path) -> Iterator[SpendBook]:
    with SpendBook(tmp_path / "run.sqlite") as book:
        yield book


def test_a_machine_counts_while_its_lease_is_taken(clock: Clock, leases: LeaseBook, spend: SpendBook) -> None:
    leases.take("1", "me", "aws", "episode", DOLLAR_AN_HOUR)
    clock.pass_hours(0.5)
    assert spend.spent().cost == pytest.approx(0.5)

    leases.give_back("1")
    clock.pass_hours(1)

    assert spend.spent().cost == pytest.approx(0.5)
    [large] = spend.by_machine()
    assert large == MachineSpend("large", 1, 0, large.hours, large.hours)


def test_one_that_nobody_gives_back_counts_until_it_ends_by_itself(
    clock: Clock, leases: LeaseBook, spend: SpendBook
) -> None:
    leases.take("1", "me", "aws", "episode", DOLLAR_AN_HOUR)
    clock.pass_hours(24)
    assert spend.spent().cost == pytest.approx(2.0)


def test_those_of_a_dead_process_count_until_they_are_given_up(
    clock: Clock, leases: LeaseBook, spend: SpendBook
) -> None:
    for lease in ("1", "2"):
        leases.take(lease, "dead", "aws", "episode", DOLLAR_AN_HOUR)
    leases.take("3", "alive", "aws", "episode", DOLLAR_AN_HOUR)
    clock.pass_hours(0.25)
    assert leases.give_up("dead") == 2
    clock.pass_hours(0.25)
    assert spend.spent().cost == pytest.approx(2 * 0.25 + 0.5)


def test_one_whose_price_nobody_knows_stands_in_no_sum(clock: Clock, leases: LeaseBook, spend: SpendBook) -> None:
    leases.take("1", "me", "aws", "episode", Rent("odd", None, longest=7200))
    leases.take("2", "me", "local", "episode")
    clock.pass_hours(0.5)

    block = spend_block(spend.path)

    assert (block["cost"], block["machines"][0]["unpriced"], block["machines"][0]["cost"]) == (None, 1, None)
    assert spend_line(block).endswith("in 0 model calls, 0.50 hours of odd without a known price (1 of 1)")
