"""The steps of published tasks on a machine of which only the stock server can be had."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import GuestFault
from pytest_rogue.published import kinds
from pytest_rogue.published.waiting import wait_for
from tests.published.desks import desk_with

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.published.protocol import Desk

pytestmark = pytest.mark.desktop

WINDOW = (
    "import gi, sys; gi.require_version('Gtk', '3.0'); from gi.repository import Gtk; "
    "window = Gtk.Window(title=sys.argv[1]); window.connect('destroy', Gtk.main_quit); window.show_all(); Gtk.main()"
)


@pytest.fixture
def desk(stock: GuestClient, tmp_path: Path) -> Iterator[Desk]:
    yield desk_with(stock, tmp_path)
    stock.run(["pkill", "-f", "Gtk.Window"])
    assert wait_for(lambda: not stock.windows() or None, 20)


def apply(desk: Desk, kind: str, **parameters: Any) -> None:
    kinds.steps()[kind].model_validate_json(json.dumps(parameters)).apply(desk)


def test_programs_are_started_and_their_windows_brought_to_the_front_and_closed(desk: Desk) -> None:
    for title in ("first", "second"):
        apply(desk, "launch", command=["/usr/bin/python3", "-c", WINDOW, title])
    apply(desk, "activate_window", window_name="first", strict=True)
    assert [window.title for window in desk.guest.windows() if window.active] == ["first"]
    apply(desk, "close_window", window_name="first")
    assert [window.title for window in desk.guest.windows()] == ["second"]


def test_a_program_left_behind_with_the_output_keeps_nothing_waiting(desk: Desk) -> None:
    apply(desk, "execute", command=["sh", "-c", "echo first; sleep 1000 &"], stdout="out")
    assert desk.kept["out"] == b"first\n"
    assert desk.guest.run(["pkill", "sleep"]).exit_code == 0


def test_a_relative_path_is_where_commands_run(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "say.sh").write_text("echo said\n")
    apply(desk, "download", files=[{"url": "https://files.example/say.sh", "path": "say.sh"}])
    apply(desk, "execute", command="sh say.sh", stdout="said.out")
    assert desk.kept["said.out"] == b"said\n"


def test_a_command_that_cannot_be_started_is_a_fault(desk: Desk) -> None:
    with pytest.raises(GuestFault, match="no-such-program"):
        apply(desk, "execute", command=["no-such-program"])
