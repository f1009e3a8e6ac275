"""What the programs of the shutdown are answered, and what that does to the announced shutdown."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.guest import power_command
from pytest_rogue.guest.power import PowerSwitch
from pytest_rogue.guest.shutdown_machinery import ShutdownMachinery

if TYPE_CHECKING:
    from collections.abc import Iterator

DUE_IN = 20.0
"""Seconds until the announced shutdown."""


class Recorded(list[dict[str, Any]]):
    """The rows of the evidence."""

    def __call__(self, event: str, **facts: Any) -> None:
        """Keep a row."""
        self.append({"event": event, **facts})


@pytest.fixture
def rows() -> Recorded:
    return Recorded()


@pytest.fixture
def machinery(rows: Recorded, monkeypatch: pytest.MonkeyPatch) -> Iterator[ShutdownMachinery]:
    with tempfile.TemporaryDirectory() as folder:  # its path is short enough for a socket
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        machinery = ShutdownMachinery(PowerSwitch(), rows, script=lambda: None, due_in=lambda: DUE_IN)
        yield machinery
        machinery.close()


def ask(call: str) -> dict[str, Any]:
    program, *arguments = call.split()
    answer: dict[str, Any] = power_command.ask({"program": program, "arguments": arguments, "input": ""})
    return answer


@pytest.mark.parametrize("call", ["shutdown", "shutdown -h", "shutdown -r +1"])
def test_a_shutdown_that_is_late_by_less_than_a_minute_leaves_the_announced_one_as_it_is(
    call: str, machinery: ShutdownMachinery, rows: Recorded
) -> None:
    assert ask(call)["exit_code"] == 0
    assert [row["effect"] for row in rows] == ["scheduled"]
    assert not machinery.withheld


def test_a_shutdown_that_is_later_takes_the_place_of_the_announced_one(
    machinery: ShutdownMachinery, rows: Recorded
) -> None:
    ask("shutdown -h +2")
    assert [row["effect"] for row in rows] == ["postponed"]
    assert machinery.withheld == "postponed"
