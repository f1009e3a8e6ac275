"""Whoever watches sees real desktops live, needs the page's address, and disturbs nothing."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import httpx
import pytest
from PIL import Image

from pytest_rogue.cli import main
from pytest_rogue.desktops.local import LocalProvider
from pytest_rogue.desktops.owner import Owner
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.interaction import Action
from pytest_rogue.watching.announcements import announced, announcements
from pytest_rogue.watching.server import WatchServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_rogue.desktops.protocol import Desktop


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A runtime folder of our own: desktops of other runs on this machine are not ours to see."""
    folder = tmp_path / "runtime"
    folder.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    desktop = LocalProvider().start(DesktopSpec(width=800, height=600))
    yield desktop
    desktop.stop()


@pytest.fixture
def watch() -> Iterator[Callable[..., WatchServer]]:
    servers: list[WatchServer] = []

    def start(name: str = "") -> WatchServer:
        server = WatchServer(name)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def get(url: str) -> httpx.Response:
    return httpx.get(url, timeout=30, trust_env=False)


def listed(server: WatchServer) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = get(f"{server.url}desktops").json()
    return rows


@pytest.mark.desktop
def test_a_desktop_is_shown_as_it_is_now(desktop: Desktop, watch: Callable[..., WatchServer]) -> None:
    with announced(desktop, run="r1", episode="tidy"):
        server = watch()
        assert listed(server) == [{"id": desktop.id, "run": "r1", "episode": "tidy"}]
        picture = f"{server.url}screen/{desktop.id}"
        before = get(picture).content
        assert Image.open(io.BytesIO(before)).size == (800, 600)
        desktop.guest.step(1, Action.python("pyautogui.moveTo(123, 321)"))
        end = time.monotonic() + 30
        while get(picture).content == before:
            assert time.monotonic() < end, "the picture does not change"
            time.sleep(0.05)


@pytest.mark.desktop
def test_watching_fires_no_obstacle_and_leaves_no_trace(desktop: Desktop, watch: Callable[..., WatchServer]) -> None:
    evidence = desktop.guest.evidence()
    with announced(desktop, run="r1", episode="tidy"):
        assert get(f"{watch().url}screen/{desktop.id}").status_code == 200
    assert desktop.guest.evidence() == evidence


@pytest.mark.desktop
@pytest.mark.parametrize(
    ("name", "seen"), [("", True), ("r1", True), ("tid", True), ("r", False), ("somebody-else", False)]
)
def test_a_name_chooses_what_is_shown(
    desktop: Desktop, watch: Callable[..., WatchServer], name: str, seen: bool
) -> None:
    with announced(desktop, run="r1", episode="tidy"):
        server = watch(name)
        assert bool(listed(server)) is seen
        assert get(f"{server.url}screen/{desktop.id}").status_code == (200 if seen else 404)


@pytest.mark.desktop
def test_a_desktop_that_is_gone_is_shown_no_longer(desktop: Desktop, watch: Callable[..., WatchServer]) -> None:
    server = watch()
    with announced(desktop, run="r1", episode="tidy"):
        assert get(f"{server.url}screen/{desktop.id}").status_code == 200
    assert listed(server) == []
    assert get(f"{server.url}screen/{desktop.id}").status_code == 404


@pytest.mark.parametrize("path", ["", "desktops", "wrong/desktops", "wrong/"])
def test_without_the_address_of_the_page_nothing_is_shown(watch: Callable[..., WatchServer], path: str) -> None:
    response = get(f"http://127.0.0.1:{watch().server_port}/{path}")
    assert (response.status_code, response.content) == (404, b"")


def test_the_page_sends_its_address_nowhere(watch: Callable[..., WatchServer]) -> None:
    page = get(watch().url)
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert "http" not in page.text


@pytest.mark.desktop
def test_only_the_user_can_read_how_a_desktop_is_reached(desktop: Desktop, runtime: Path) -> None:
    with announced(desktop, run="r1", episode="tidy"):
        (folder,) = runtime.iterdir()
        (file,) = folder.iterdir()
        assert (folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)
    assert not file.exists()


@pytest.mark.desktop
def test_a_folder_that_others_can_write_to_is_not_used(desktop: Desktop, runtime: Path) -> None:
    with announced(desktop, run="r1", episode="tidy"):
        (folder,) = runtime.iterdir()
    folder.chmod(0o777)
    with announced(desktop, run="r1", episode="tidy"):
        assert list(folder.iterdir()) == []
        assert announcements() == []


@pytest.mark.desktop
def test_what_a_dead_process_left_is_cleared_away(desktop: Desktop, runtime: Path) -> None:
    with announced(desktop, run="r1", episode="tidy"):
        (folder,) = runtime.iterdir()
        (file,) = folder.iterdir()
        ended = subprocess.Popen(["true"])
        owner = Owner._of(ended.pid)
        ended.wait()
        file.write_text(json.dumps(json.loads(file.read_text()) | {"owner": str(owner)}))
        assert announcements() == []
        assert not file.exists()


@pytest.mark.desktop
def test_the_command_lists_the_desktops_and_shows_them(desktop: Desktop) -> None:
    with announced(desktop, run="r1", episode="tidy"):
        command = [sys.executable, "-m", "pytest_rogue.cli", "watch", "r1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
            try:
                assert watching.stdout is not None
                assert watching.stdout.readline() == f"{desktop.id}  run r1  tidy\n"
                url = watching.stdout.readline().split()[2]
                assert get(f"{url}desktops").json()[0]["id"] == desktop.id
            finally:
                watching.terminate()


def test_the_command_says_where_nothing_is_to_be_seen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "r1"]) == 1
    assert capsys.readouterr().err == (
        "pytest-rogue: no desktop is running here under the name 'r1': start a run, and call this again meanwhile\n"
    )
