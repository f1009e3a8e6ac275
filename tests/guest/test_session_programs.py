"""The further programs of a session: started with it, counted into its readiness, left alone later."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.guest._guest import TOKEN, guest_command, running_guest, wait_for

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
    socket = tmp_path / "guest" / "socket"
    command = guest_command(socket.parent, "--listen-unix", str(socket), "--programs", str(tmp_path / "programs.json"))
    process = subprocess.Popen(command)
    transport = httpx.HTTPTransport(uds=str(socket), retries=5)  # the socket is there a moment before it listens
    headers = {"Authorization": f"Bearer {TOKEN}"}
    try:
        wait_for("the guest's socket", socket.exists)
        with httpx.Client(transport=transport, headers=headers, base_url="http://desktop", timeout=60) as http:
            answer = http.get("/rogue/v1/ready", params={"wait": "30"}).json()
    finally:
        process.kill()
        process.wait()
    assert not answer["ready"]
    assert "programs" in answer["missing"]
    assert problem in answer["problem"]
