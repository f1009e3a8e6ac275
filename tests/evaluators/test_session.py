"""Checks that ask the session: commands here, settings on a real desktop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.evaluators.evaluate import evaluate
from pytest_rogue.outcome import Ending
from pytest_rogue.suite.model import Check, Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rogue.desktops.guest_client import GuestClient
    from tests.evaluators.conftest import Desk


def test_the_output_of_a_command_is_compared(desk: Desk) -> None:
    assert desk.passes("command_output", command=["printf", r"one\r\ntwo\n"], equals="one\ntwo")
    assert desk.check("command_output", command=["echo", "two"], equals="one").found == "line 1: 'two'"


def test_parts_of_the_output_are_looked_for(desk: Desk) -> None:
    assert desk.passes("command_output", command=["echo", "one two"], contains=["two"])
    assert not desk.passes("command_output", command=["echo", "one two"], contains=["two", "three"])


def test_the_exit_code_is_compared(desk: Desk) -> None:
    assert desk.passes("command_output", command=["false"], exit_code=1)
    assert desk.check("command_output", command=["false"]).found.startswith("exit code 1")


def test_a_command_that_does_not_end_is_a_finding(desk: Desk) -> None:
    result = desk.check("command_output", command=["sleep", "60"], timeout=0.1)
    assert (result.score, result.found) == (0.0, "still running after 0.1 s")


# --- settings

VIEW = "org.xfce.mousepad.preferences.view"


@pytest.fixture
def guest() -> Iterator[GuestClient]:
    from pytest_rogue.desktops.local import LocalProvider
    from pytest_rogue.desktops.protocol import DesktopSpec

    desktop = LocalProvider().start(DesktopSpec(width=640, height=480, timeout=60))
    yield desktop.guest
    desktop.stop()


def setting(**args: Any) -> Task:
    checks = (Check(evaluator="gsetting", args=args),)
    return Task(id="t", instruction="Set it.", checks=checks, solution=("pass",))


@pytest.mark.desktop
def test_a_setting_is_read_from_the_session_of_the_desktop(guest: GuestClient) -> None:
    task = setting(schema=VIEW, key="word-wrap", equals="true")
    assert evaluate(task, guest, ending=Ending.DONE).score == 0.0
    guest.run(["gsettings", "set", VIEW, "word-wrap", "true"])
    assert evaluate(task, guest, ending=Ending.DONE).score == 1.0


@pytest.mark.desktop
def test_a_setting_that_the_desktop_does_not_know_is_a_fault_and_no_score(guest: GuestClient) -> None:
    evaluation = evaluate(setting(schema="org.none", key="word-wrap", equals="1"), guest, ending=Ending.DONE)
    assert evaluation.score is None
    assert "org.none" in evaluation.faults[0].message
