"""The guest starts a desktop, says when it is ready, and keeps its token to itself."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.guest._guest import TOKEN, Guest, guest_command, opened, readiness_of, running_guest, wait_for

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desktop

BACKGROUND = (0x3A, 0x6E, 0xA5)


def test_ready_is_said_when_nothing_is_missing(guest: Guest) -> None:
    assert guest.get("ready") == {"ready": True, "missing": [], "problem": ""}


def test_info_tells_who_answers(guest: Guest) -> None:
    info = guest.get("info")
    assert info["screen"] == [1280, 800]
    assert info["user"] == "user"
    assert set(info["capabilities"]) == {"screenshot", "a11y", "pyautogui", "obstacle", "evidence_protected"}
    assert all(info["capabilities"].values())


def test_the_screen_of_a_ready_desktop_is_painted(guest: Guest) -> None:
    image = opened(guest.step(observe={"screenshot": True})["screenshot"])
    assert image.size == (1280, 800)
    assert image.getpixel((2, 797)) == BACKGROUND


def test_the_wheel_over_the_background_does_not_take_the_windows_away(guest: Guest) -> None:
    guest.launch("mousepad", "--disable-server", window="Mousepad")
    guest.run("pyautogui.moveTo(5, 795)\npyautogui.scroll(-3)")
    assert [window["shown"] for window in guest.get("windows")["windows"]] == [True]
    guest.kill("mousepad")


@pytest.mark.parametrize(
    "authorization", [None, "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer é"]
)
def test_a_request_without_the_token_does_nothing(guest: Guest, authorization: str | None) -> None:
    headers = [] if authorization is None else [(b"Authorization", authorization.encode())]
    with httpx.Client(transport=httpx.HTTPTransport(uds=str(guest.socket)), base_url="http://desktop") as stranger:
        answer = stranger.put("/rogue/v1/file", params={"path": "~/stranger"}, content=b"x", headers=headers)
    assert answer.status_code == 401
    assert answer.json()["error"]["kind"] == "unauthorized"
    assert not (guest.home / "stranger").exists()


def test_no_program_of_the_desktop_has_the_token_in_its_environment(guest: Guest) -> None:
    script = "cat /proc/[0-9]*/environ | tr '\\0' '\\n'"
    seen = guest.post("run", command=["sh", "-c", script], timeout=10)["stdout"]
    assert "DBUS_SESSION_BUS_ADDRESS=" in seen
    assert TOKEN not in seen


def test_an_action_has_no_token_in_its_environment(guest: Guest) -> None:
    seen = guest.run("import os\nprint(dict(os.environ))")["stdout"]
    assert "DISPLAY" in seen
    assert TOKEN not in seen


def test_an_action_cannot_read_the_memory_of_the_guest(guest: Guest) -> None:
    code = (
        "import os\n"
        "guests = [pid for pid in os.listdir('/proc') if pid.isdigit()\n"
        "          and b'-m\\0guest' in open(f'/proc/{pid}/cmdline', 'rb').read() and os.getppid() != 0]\n"
        "for pid in guests:\n"
        "    for part in ('environ', 'mem'):\n"
        "        try:\n"
        "            open(f'/proc/{pid}/{part}', 'rb')\n"
        "        except PermissionError:\n"
        "            print('refused')\n"
    )
    assert guest.run(code)["stdout"].split() == ["refused"] * 2


def test_the_token_is_also_taken_from_a_descriptor(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"from the pipe\n")
    os.close(writing)
    command = guest_command(tmp_path, "--listen-tcp", "127.0.0.1:0", "--token-fd", str(reading), share_network=True)
    with subprocess.Popen(command, pass_fds=(reading,), stdout=subprocess.PIPE) as process:
        os.close(reading)
        try:
            assert process.stdout is not None
            host, port = json.loads(process.stdout.readline())["listening"]
            url = f"http://{host}:{port}/rogue/v1/info"
            given = httpx.get(url, headers={"Authorization": "Bearer from the pipe"}).status_code
            assert (given, httpx.get(url, headers={"Authorization": f"Bearer {TOKEN}"}).status_code) == (200, 401)
        finally:
            process.kill()


def test_an_inherited_socket_is_served(tmp_path: Path) -> None:
    listener = socket.socket(socket.AF_UNIX)
    path = tmp_path / "inherited"
    with listener:
        listener.bind(str(path))
        listener.listen()
        command = guest_command(tmp_path / "guest", "--listen-fd", str(listener.fileno()))
        process = subprocess.Popen(command, pass_fds=(listener.fileno(),))
    try:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), headers=headers, timeout=60) as http:
            assert http.get("http://desktop/rogue/v1/info").status_code == 200
    finally:
        process.kill()
        process.wait()


def test_a_guest_without_a_token_does_not_start(tmp_path: Path) -> None:
    command = guest_command(tmp_path, "--listen-tcp", "127.0.0.1:0")
    command[command.index(TOKEN)] = ""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "no token" in done.stderr


def test_a_part_that_does_not_start_is_named(tmp_path: Path) -> None:
    answer = readiness_of(tmp_path, "--width", "0")
    assert not answer["ready"]
    assert "x" in answer["missing"]
    assert "Xvfb ended with code" in answer["problem"]


def test_a_session_program_that_dies_is_noticed(tmp_path: Path) -> None:
    with running_guest(tmp_path) as broken:
        broken.post("run", command=["pkill", "-KILL", "Xvfb"], timeout=10)
        # What lives by the X server may be found dead a moment before it.
        wait_for("the loss", lambda: "Xvfb ended with code -9" in broken.get("ready")["problem"])
        assert not broken.get("ready")["ready"]
        status, kind, message = broken.refused("step", step=1, action=None)
        assert (status, kind) == (500, "session_broken")
        assert "Xvfb" in message


def test_a_guest_that_is_told_to_end_ends(tmp_path: Path) -> None:
    with running_guest(tmp_path) as ending:
        ending.post("run", command=["pkill", "-f", "^/usr/bin/python3 -m guest"], timeout=10)
        assert ending.process.wait(20) == 0


def test_the_guest_imports_nothing_from_the_home_of_the_user(tmp_path: Path) -> None:
    with running_guest(tmp_path) as guest:
        for name in ("numpy", "pyscreeze", "mimetypes"):
            (guest.home / f"{name}.py").write_text("open('imported', 'w')")
        guest.run("import os\nos.kill(os.getppid(), 9)")
        guest.run("print('next')")
        guest.step(observe={"screenshot": True, "a11y": True})
        assert not (guest.home / "imported").exists()


def test_the_version_is_told() -> None:
    command = ["/usr/bin/python3", "-m", "guest", "--version"]
    folder = str(guest_folder())
    done = subprocess.run(command, env={"PYTHONPATH": folder}, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.startswith("pytest-rogue guest ")


def guest_folder() -> Path:
    from tests.guest._guest import GUEST

    return GUEST.parent
