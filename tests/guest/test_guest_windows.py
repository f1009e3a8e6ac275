"""Windows, and programs that are started for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.guest._guest import wait_for

if TYPE_CHECKING:
    from tests.guest._guest import Guest

pytestmark = pytest.mark.desktop


def test_a_launched_program_is_answered_with_its_window(guest: Guest) -> None:
    (guest.home / "letter ü.txt").write_text("x")
    window = guest.launch("mousepad", "--disable-server", str(guest.home / "letter ü.txt"), window="letter ü")
    listed = guest.get("windows")["windows"]
    guest.kill("mousepad")
    assert "letter ü.txt" in window["title"]
    assert window["class"] == "Mousepad"
    assert window["width"] > 100
    assert [other["id"] for other in listed] == [window["id"]]


def test_the_active_window_is_marked(guest: Guest) -> None:
    guest.launch("mousepad", "--disable-server", window="Mousepad")
    guest.launch("galculator", window="galculator")
    guest.step(None, settle={"quiet": 0.2, "limit": 5})
    active = [window["class"] for window in guest.get("windows")["windows"] if window["active"]]
    guest.kill("mousepad", "galculator")
    assert active == ["Galculator"]


CHANGING_TITLE = """
from Xlib import X, display
screen = display.Display()
window = screen.screen().root.create_window(0, 0, 200, 100, 0, X.CopyFromParent)
window.set_wm_class("changing", "Changing")
window.set_wm_name("x")
window.map()
name, kind = screen.intern_atom("_NET_WM_NAME"), screen.intern_atom("UTF8_STRING")
while True:
    for length in (4000, 1):
        window.change_property(name, kind, 8, b"x" * length)
        screen.sync()
"""


def test_a_title_that_changes_while_it_is_read_is_read_as_it_was_or_is(guest: Guest) -> None:
    guest.launch("python3", "-c", CHANGING_TITLE, window="x")
    seen = [window for _ in range(300) for window in guest.get("windows")["windows"]]
    guest.post("run", command=["pkill", "-f", "changing"], timeout=10)
    wait_for("the window to go", lambda: not guest.get("windows")["windows"])
    assert {len(window["title"]) for window in seen} == {1, 4000}
    assert {window["class"] for window in seen} == {"Changing"}


def test_a_window_that_does_not_come_is_told_with_those_that_are_there(guest: Guest) -> None:
    guest.launch("mousepad", "--disable-server", window="Mousepad")
    command = ["sleep", "1000"]
    status, kind, message = guest.refused("launch", command=command, window="Never", timeout=0.3)
    guest.kill("mousepad")
    assert (status, kind) == (500, "window_timeout")
    assert "'Never'" in message
    assert "Untitled 1 - Mousepad" in message


def test_a_program_that_fails_at_once_is_told_with_its_words(guest: Guest) -> None:
    command = ["sh", "-c", "echo no such document >&2; exit 4"]
    status, kind, message = guest.refused("launch", command=command, window="Never", timeout=60)
    assert (status, kind) == (500, "launch_failed")
    assert "code 4" in message
    assert "no such document" in message


def test_a_program_that_is_not_installed_is_told(guest: Guest) -> None:
    status, kind, message = guest.refused("launch", command=["no-such-program"], window="Never", timeout=60)
    assert (status, kind) == (500, "launch_failed")
    assert "'no-such-program'" in message


def test_a_program_may_hand_over_and_end_well(guest: Guest) -> None:
    command = ["sh", "-c", "mousepad --disable-server & exit 0"]
    assert "Mousepad" in guest.launch(*command, window="Mousepad")["title"]
    guest.kill("mousepad")


@pytest.mark.parametrize("command", [[], "mousepad", [1], ["a\0b"]])
def test_a_command_that_is_no_list_of_texts_is_refused(guest: Guest, command: object) -> None:
    assert guest.refused("launch", command=command, window="Never")[:2] == (400, "bad_request")
