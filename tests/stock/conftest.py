"""A machine with a stock server for each module of tests: a real X session in a process namespace of its own."""

from __future__ import annotations

import select
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from pytest_rogue.desktops.bundle import bundle
from pytest_rogue.desktops.stock import open_stock_desktop
from pytest_rogue.desktops.stock_guest import StockGuest
from pytest_rogue.desktops.stock_server import StockServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rogue.desktops.guest_client import GuestClient

SERVER = Path(__file__).parents[1] / "stock_server.py"


@dataclass(frozen=True, slots=True)
class Machine:
    """A running machine."""

    url: str

    def misbehave(self, *, forever: bool = False, **faults: list[str]) -> None:
        """Let the next answers of paths (`run_bash_script`, `setup_upload`) have these faults."""
        paths: dict[str, Any] = {f"/{name.replace('setup_', 'setup/')}": what for name, what in faults.items()}
        httpx.post(f"{self.url}/stand-in", json=paths | {"forever": forever}, trust_env=False).raise_for_status()

    def asked(self) -> dict[str, int]:
        """Return how often each path was asked for."""
        counts: dict[str, int] = httpx.get(f"{self.url}/stand-in", trust_env=False).json()
        return counts


@contextmanager
def running_machine(*hidden: str) -> Iterator[Machine]:
    """Run a machine; everything in it ends with it.

    Args:
        hidden: folders that are empty in it.
    """
    empty = [word for folder in hidden for word in ("--tmpfs", folder)]
    command = [
        *("bwrap", "--dev-bind", "/", "/", "--tmpfs", "/tmp", "--unshare-pid"),
        *("--proc", "/proc", "--die-with-parent", "--clearenv", "--setenv", "PATH", "/usr/bin:/bin"),
        *("--tmpfs", "/home", "--dir", "/home/user", "--setenv", "HOME", "/home/user", "--setenv", "LANG", "C.UTF-8"),
        *("--ro-bind", str(bundle() / "lib"), "/tmp/site", "--setenv", "PYTHONPATH", "/tmp/site"),
        *("--ro-bind", str(SERVER), "/tmp/stock_server.py"),
        *empty,
        *("/usr/bin/python3", "/tmp/stock_server.py", "--port", "0"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    assert process.stdout is not None
    try:
        readable, _, _ = select.select([process.stdout], [], [], 60)
        port = process.stdout.readline().strip() if readable else b""
        assert port, "the machine did not start"
        yield Machine(f"http://127.0.0.1:{port.decode()}")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture(scope="module")
def running() -> Iterator[Machine]:
    with running_machine() as machine:
        yield machine


@pytest.fixture(scope="module")
def taken_over(running: Machine) -> Iterator[GuestClient]:
    guest = open_stock_desktop(running.url, timeout=60)
    yield guest
    guest.close()


@pytest.fixture
def machine(running: Machine) -> Machine:
    """A machine without a fault, for now."""
    running.misbehave()
    return running


@pytest.fixture
def stock(machine: Machine) -> Iterator[GuestClient]:
    """The machine through its stock server alone."""
    guest = StockGuest(StockServer(machine.url))
    guest.wait_ready(60)
    yield guest
    guest.close()


@pytest.fixture
def taken(machine: Machine, taken_over: GuestClient) -> GuestClient:
    """The machine taken over by our guest."""
    return taken_over
