"""The further programs of a session: started with it, counted into its readiness, left alone later."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.guest._guest import readiness_of, running_guest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desktop

OWN_A_SELECTION = (
    "from Xlib import X, display; d = display.Display();"
    "w = d.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent);"
    "w.set_selection_owner(d.intern_atom('_TEST_SELECTION'), X.CurrentTime); d.sync(); d.next_event()"
)


def listed(folder: Path, *programs: dict[str, object]) -> tuple[str, str]:
    """Return the option that lists the programs."""
    path = folder / "session-programs.json"
    path.write_text(json.dumps(programs))
    return "--programs", str(path)


def test_a_session_is_ready_when_the_window_of_its_program_is_there(tmp_path: Path) -> None:
    option = listed(tmp_path, {"command": ["mousepad", "--disable-server"], "window_class": "Mousepad"})
    with running_guest(tmp_path / "guest", *option) as guest:
        assert [window["class"] for window in guest.get("windows")["windows"]] == ["Mousepad"]


def test_a_session_is_ready_when_its_program_owns_its_selection(tmp_path: Path) -> None:
    command = ["/usr/bin/python3", "-c", OWN_A_SELECTION]
    option = listed(tmp_path, {"command": command, "selection": "_TEST_SELECTION"})
    ask = (
        "from Xlib import display; d = display.Display();"
        "print(d.get_selection_owner(d.intern_atom('_TEST_SELECTION')) != 0)"
    )
    with running_guest(tmp_path / "guest", *option) as guest:
        assert guest.run(ask)["stdout"] == "True\n"


def test_a_program_that_is_ended_later_does_not_end_the_session(tmp_path: Path) -> None:
    option = listed(tmp_path, {"command": ["mousepad", "--disable-server"], "window_class": "Mousepad"})
    with running_guest(tmp_path / "guest", *option) as guest:
        guest.kill("mousepad")
        assert guest.get("ready")["ready"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[{"command": ["no-such-program"]}]', "no-such-program"),
        ('[{"command": ["false"], "window_class": "Never"}]', "false ended with code 1"),
        ('{"command": []', "is not a list of"),
        ('[{"comand": ["true"]}]', "comand"),
    ],
)
def test_a_program_that_does_not_come_is_named(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "programs.json").write_text(text)
    answer = readiness_of(tmp_path / "guest", "--programs", str(tmp_path / "programs.json"))
    assert not answer["ready"]
    assert "programs" in answer["missing"]
    assert problem in answer["problem"]
