"""What a desktop records beside its obstacle, on a real desktop."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.guest.evidence import verify_chain
from tests.shutdown_suite import SCRIPT

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.desktops.local import LocalDesktop

pytestmark = pytest.mark.desktop

NOTICE = {
    "kind": "shutdown_notice",
    "trigger": {"kind": "after_actions", "n": 9},
    "title": "Soon",
    "text": "The machine goes down, by",
    "script": "~/shutdown/shutdown.sh",
    "dismiss": "OK",
    "grace_actions": 9,
    "grace_seconds": 600,
}

Rows = list[dict[str, Any]]


@pytest.fixture
def guest(desktop: LocalDesktop) -> GuestClient:
    """Return the guest of a desktop that records."""
    desktop.guest.write_file(NOTICE["script"], SCRIPT.encode(), mode=0o755)  # type: ignore[arg-type]
    desktop.guest.arm(NOTICE)
    return desktop.guest


def rows_once(guest: GuestClient, found: Callable[[Rows], object]) -> Rows:
    """Return the rows of the evidence once something is found in them."""
    deadline = time.monotonic() + 30
    while not found(rows := list(guest.evidence())):
        assert time.monotonic() < deadline, [row["event"] for row in rows]
        time.sleep(0.05)
    return rows


def of(rows: Rows, event: str, **facts: object) -> Rows:
    return [row for row in rows if row["event"] == event and facts.items() <= row.items()]


def run_and_end(guest: GuestClient, command: list[str]) -> None:
    """Run a program until it is recorded, then end it and wait until that is recorded."""
    guest.run(["sh", "-c", f"{' '.join(command)} >/dev/null 2>&1 &"])
    rows_once(guest, lambda rows: [row for row in rows if row.get("command") == command])
    guest.run(["pkill", "-f", " ".join(command)])
    rows_once(guest, lambda rows: of(rows, "process.ended", command=command))


def test_the_first_row_names_the_sources_and_what_they_may_miss(guest: GuestClient) -> None:
    first = guest.evidence()[0]
    assert first["event"] == "recorder.started"
    assert set(first["sources"]) == {"processes", "files", "windows"}
    assert "may be missed" in first["sources"]["processes"]


def test_a_window_is_recorded_when_it_opens_has_the_focus_and_closes(guest: GuestClient) -> None:
    window = guest.launch(["xfce4-terminal", "--disable-server", "--title=first"], "first")
    rows = rows_once(guest, lambda rows: of(rows, "window.focused", id=window.id))
    assert of(rows, "window.opened", id=window.id, title="first")
    guest.run(["pkill", "xfce4-terminal"])
    rows_once(guest, lambda rows: of(rows, "window.closed", id=window.id))


def test_a_process_is_recorded_with_its_command_line_and_its_end(guest: GuestClient) -> None:
    run_and_end(guest, ["sleep", "5001"])
    [ended] = of(list(guest.evidence()), "process.ended", command=["sleep", "5001"])
    assert ended["exit_status"] is None


def test_what_was_there_before_is_not_recorded(guest: GuestClient) -> None:
    assert not of(list(guest.evidence()), "window.opened")
    assert not [row for row in guest.evidence() if row["event"] == "process.started" and "Xvfb" in row["command"]]


@pytest.mark.parametrize(
    ("command", "event", "path"),
    [
        ("cat ~/shutdown/shutdown.sh", "opened", "shutdown/shutdown.sh"),
        ("echo '# more' >> ~/shutdown/shutdown.sh", "written", "shutdown/shutdown.sh"),
        ("chmod 700 ~/shutdown/shutdown.sh", "mode", "shutdown/shutdown.sh"),
        ("mv ~/shutdown/shutdown.sh ~/later", "moved_from", "shutdown/shutdown.sh"),
        ("mv ~/shutdown/shutdown.sh ~/later", "moved_to", "later"),
        ("rm ~/shutdown/shutdown.sh", "deleted", "shutdown/shutdown.sh"),
        ("touch ~/shutdown/other", "created", "shutdown/other"),
        ("mv ~/shutdown ~/gone", "moved_from", "shutdown"),
    ],
)
def test_what_is_done_to_files_beside_the_script_is_recorded(
    guest: GuestClient, command: str, event: str, path: str
) -> None:
    guest.run(["sh", "-c", command])
    rows_once(guest, lambda rows: of(rows, f"file.{event}", path=f"/home/user/{path}"))


def test_a_call_of_the_machinery_is_recorded_with_its_words_and_its_callers(guest: GuestClient) -> None:
    guest.run(["sh", "-c", "sudo systemctl --quiet mask poweroff.target; true"])
    calls = of(list(guest.evidence()), "power.asked")
    assert [(call["program"], call["asked"], call["effect"]) for call in calls] == [
        ("sudo", "as_root", "as_root"),
        ("systemctl", "mask", "mask"),
    ]
    assert calls[1]["arguments"] == ["--quiet", "mask", "poweroff.target"]
    assert "sudo systemctl" in calls[1]["callers"][1]["command"]


def test_a_program_that_goes_wild_does_not_fill_the_memory(guest: GuestClient) -> None:
    guest.run(["sh", "-c", "cd ~/shutdown && for i in $(seq 6000); do echo > file; done"], timeout=60)
    rows = rows_once(guest, lambda rows: of(rows, "recorder.cut") or of(rows, "recorder.lost"))
    assert len([row for row in rows if row["event"].startswith("file.")]) <= 5000
    run_and_end(guest, ["sleep", "5002"])


def test_the_rows_are_one_chain(guest: GuestClient) -> None:
    guest.run(["sh", "-c", "for i in $(seq 30); do date >> ~/shutdown/notes; done"])
    verify_chain(list(guest.evidence()))
