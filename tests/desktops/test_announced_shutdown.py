"""The announced shutdown as the guest's client sees it, and what it refuses to be armed with."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.desktops.guest_http import Refused
from pytest_rogue.errors import DesktopShutDown
from pytest_rogue.guest.evidence import verify_chain
from pytest_rogue.interaction import Action
from tests.desktops.test_recorder import NOTICE
from tests.host_processes import wait_until
from tests.shutdown_suite import SCRIPT, python

if TYPE_CHECKING:
    from pytest_rogue.desktops.local import LocalDesktop

pytestmark = pytest.mark.desktop

SOON: dict[str, Any] = NOTICE | {"trigger": {"kind": "start"}, "grace_actions": 1}


def put_script(desktop: LocalDesktop, text: str = SCRIPT, mode: int = 0o755) -> None:
    desktop.guest.write_file("~/shutdown/shutdown.sh", text.encode(), mode=mode)


def test_the_last_words_reach_the_host_and_then_the_machine_is_gone(desktop: LocalDesktop) -> None:
    put_script(desktop)
    desktop.guest.arm(SOON)
    desktop.guest.step(0, None)
    with pytest.raises(DesktopShutDown):
        desktop.guest.step(1, Action.wait(0))
    rows = desktop.guest.evidence()
    verify_chain(list(rows))
    assert {"shutdown.armed", "shutdown.announced", "shutdown.due", "power.asked", "power.off"} <= {
        row["event"] for row in rows
    }
    assert desktop.guest.evidence(since=len(rows) - 1) == rows[-1:]
    assert (desktop.guest.obstacle().appeared_step, desktop.guest.obstacle().visible) == (0, False)
    with pytest.raises(DesktopShutDown):
        desktop.guest.windows()
    assert wait_until(lambda: not desktop.alive())


def test_what_came_of_a_script_that_runs_is_waited_for(desktop: LocalDesktop) -> None:
    put_script(desktop, SCRIPT.replace("sync\n", "sleep 2\n"))
    desktop.guest.arm(SOON | {"grace_actions": 9, "grace_seconds": 0.1})
    desktop.guest.step(0, None)
    with contextlib.suppress(DesktopShutDown):  # where the step takes longer than the grace period
        desktop.guest.step(1, None)
    assert wait_until(lambda: "shutdown.due" in [row["event"] for row in desktop.guest.evidence()])
    desktop.guest.obstacle()
    assert "power.off" in [row["event"] for row in desktop.guest.evidence()]


def test_an_action_that_shuts_the_machine_down_is_never_sent_again(desktop: LocalDesktop) -> None:
    put_script(desktop)
    desktop.guest.arm(NOTICE)
    with pytest.raises(DesktopShutDown):
        desktop.guest.step(1, python("subprocess.run(['poweroff']); time.sleep(20)"))
    asked = [row for row in desktop.guest.evidence() if row["event"] == "power.asked"]
    assert [(row["program"], row["by"], row["step"]) for row in asked] == [("poweroff", "agent", 1)]


def test_without_a_notice_nobody_can_shut_the_machine_down(desktop: LocalDesktop) -> None:
    told = desktop.guest.run(["sudo", "shutdown", "-h", "now"])
    assert (told.exit_code, told.stderr) == (1, "sudo: cannot be used here: there is no system manager\n")
    assert desktop.alive()


@pytest.mark.parametrize(
    ("text", "mode"), [(None, 0), (SCRIPT, 0o644), ("if then", 0o755)], ids=["missing", "not runnable", "no shell"]
)
def test_a_script_that_cannot_be_run_is_refused(desktop: LocalDesktop, text: str | None, mode: int) -> None:
    if text is not None:
        put_script(desktop, text, mode)
    with pytest.raises(Refused, match="no shell script that can be run"):
        desktop.guest.arm(SOON)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("script", "shutdown.sh"),
        ("enforce", "yes"),
        ("grace_actions", 0),
        ("grace_seconds", -1),
        ("title", " "),
        ("text", "x" * 2001),
        ("dismiss", None),
        ("colour", "red"),
        ("trigger", {"kind": "never"}),
    ],
)
def test_a_wrong_field_is_named(desktop: LocalDesktop, field: str, value: object) -> None:
    put_script(desktop)
    with pytest.raises(Refused, match=field):
        desktop.guest.arm(SOON | {field: value})
