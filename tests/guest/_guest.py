"""A guest that runs as it does in a desktop: alone in a folder, in its own namespaces, as an ordinary user."""

from __future__ import annotations

import base64
import io
import socket
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
from PIL import Image

from pytest_rogue.desktops.sandbox import SPAWN_PATH

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = "a token for the tests"
PACKAGES = ("pyautogui", "pymsgbox", "pytweening", "pyscreeze")
GUEST = Path(__file__).parents[2] / "pytest_rogue" / "guest"
READY_LIMIT = 60


@dataclass(frozen=True)
class Guest:
    """A running guest: `http` carries the token, `home` is the home of the desktop's user."""

    http: httpx.Client
    home: Path
    process: subprocess.Popen[bytes]
    socket: Path

    def get(self, what: str, **query: str) -> Any:
        """Return the JSON that `/rogue/v1` answers."""
        return self._json(self.http.get(f"/rogue/v1/{what}", params=query))

    def post(self, what: str, **body: Any) -> Any:
        """Return the JSON that `/rogue/v1` answers."""
        return self._json(self.http.post(f"/rogue/v1/{what}", json=body))

    def _json(self, response: httpx.Response) -> Any:
        assert response.status_code == 200, response.text
        return response.json()

    def refused(self, what: str, **body: Any) -> tuple[int, str, str]:
        """Return status, kind, and message of a request that fails."""
        response = self.http.post(f"/rogue/v1/{what}", json=body)
        error = response.json()["error"]
        return response.status_code, error["kind"], error["message"]

    def step(self, code: str | None = None, **more: Any) -> Any:
        """Return the answer to a step that runs `code`, or only looks."""
        action = None if code is None else {"kind": "python", "code": code}
        body = {"step": 1, "action": action, "settle": {"quiet": 0, "limit": 0}, "observe": {"screenshot": False}}
        return self.post("step", **(body | more))

    def run(self, code: str, **more: Any) -> Any:
        """Return what became of an action."""
        return self.step(code, **more)["result"]

    def launch(self, *command: str, window: str, timeout: float = 30) -> Any:
        """Start a program and return its window."""
        return self.post("launch", command=command, window=window, timeout=timeout)["window"]

    def kill(self, *programs: str) -> None:
        """End programs of the desktop by name and wait until their windows are gone."""
        for program in programs:
            self.post("run", command=["pkill", "-x", program], timeout=10)
        wait_for("the windows to go", lambda: not self.get("windows")["windows"])


def wait_for(what: str, probe: Any, limit: float = 20.0) -> Any:
    """Return the first true value of `probe`; fail naming `what` after `limit` seconds."""
    end = time.monotonic() + limit
    while not (found := probe()):
        assert time.monotonic() < end, f"{what}: did not come within {limit:g} s"
        time.sleep(0.02)
    return found


def opened(screenshot: str) -> Image.Image:
    """Return the picture of a base64 PNG."""
    image = Image.open(io.BytesIO(base64.b64decode(screenshot)))
    image.load()
    return image


def library(folder: Path) -> Path:
    """Make a folder for PYTHONPATH that holds the guest and what a host puts beside it."""
    folder.mkdir()
    (folder / "guest").symlink_to(GUEST)
    for name in PACKAGES:
        spec = util.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        (folder / name).symlink_to(Path(spec.origin).parent)
    return folder


def guest_command(folder: Path, *arguments: str, share_network: bool = False) -> list[str]:
    """Return the command that runs the guest in namespaces that end with it, its home below `folder`."""
    (folder / "home").mkdir(parents=True)
    (folder / "run").mkdir(mode=0o700)
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder / "home"),
        "USER": "user",
        "LANG": "C.UTF-8",
        "XDG_RUNTIME_DIR": str(folder / "run"),
        "PYTHONPATH": str(library(folder / "lib")),
        "PYTHONDONTWRITEBYTECODE": "1",
        "ROGUE_TOKEN": TOKEN,
        "GSETTINGS_BACKEND": "memory",  # an editor that was killed is not to ask about it when it starts again
    }
    return [
        *("bwrap", "--dev-bind", "/", "/", "--proc", "/proc", "--perms", "1777", "--tmpfs", "/tmp/.X11-unix"),
        *("--unshare-user", "--uid", "1000", "--gid", "1000", "--unshare-pid", "--unshare-ipc", "--die-with-parent"),
        *(() if share_network else ("--unshare-net",)),
        *("--chdir", str(folder / "home"), "--clearenv"),
        *(word for name, value in environment.items() for word in ("--setenv", name, value)),
        *("/usr/bin/python3", "-m", "guest", *arguments),
    ]


def listens(path: Path) -> bool:
    """Tell whether a program listens at a socket, which is there a moment before."""
    with socket.socket(socket.AF_UNIX) as knock:
        return knock.connect_ex(str(path)) == 0


def _started(command: list[str]) -> subprocess.Popen[bytes]:
    """Start a sandbox as the provider does: pytest's environment, which names the test, is not seen in it."""
    return subprocess.Popen(command, env={"PATH": SPAWN_PATH})


def readiness_of(folder: Path, *arguments: str) -> dict[str, Any]:
    """Start a guest that may never get ready, return what it says of that, and end it."""
    door = folder / "socket"
    process = _started(guest_command(folder, "--listen-unix", str(door), *arguments))
    headers = {"Authorization": f"Bearer {TOKEN}"}
    try:
        wait_for("the guest's socket", lambda: listens(door))
        transport = httpx.HTTPTransport(uds=str(door))
        with httpx.Client(transport=transport, headers=headers, base_url="http://desktop", timeout=60) as http:
            answer: dict[str, Any] = http.get("/rogue/v1/ready", params={"wait": "30"}).json()
    finally:
        process.kill()
        process.wait()
    return answer


@contextmanager
def running_guest(folder: Path, *arguments: str) -> Iterator[Guest]:
    """Start a guest, wait until it is ready, and end it with all that it started."""
    door = folder / "socket"
    process = _started(guest_command(folder, "--listen-unix", str(door), *arguments))
    transport = httpx.HTTPTransport(uds=str(door))
    headers = {"Authorization": f"Bearer {TOKEN}"}
    try:
        with httpx.Client(transport=transport, base_url="http://desktop", headers=headers, timeout=120) as http:
            wait_for("the guest's socket", lambda: process.poll() is not None or listens(door), READY_LIMIT)
            guest = Guest(http, folder / "home", process, door)
            answer = guest.get("ready", wait=str(READY_LIMIT))
            assert answer["ready"], answer
            yield guest
    finally:
        process.kill()
        process.wait()
