"""Embedded desktops from start to end, with the real guest."""

from __future__ import annotations

import gc
import os
import secrets
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.desktops import leases, local
from pytest_rogue.desktops.guest_client import GuestClient
from pytest_rogue.desktops.protocol import Desktop, DesktopSpec
from pytest_rogue.errors import DesktopLost, DesktopStartError
from pytest_rogue.interaction import Action
from tests.host_processes import first_process, namespace_of, processes_in, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.desktops.local import LocalDesktop

pytestmark = pytest.mark.desktop

CHECKOUT = Path(__file__).parents[2]

START_AND_WAIT = """
import os, sys
from tests.host_processes import first_process, namespace_of
from pytest_rogue.desktops.local import LocalProvider
from pytest_rogue.desktops.guest_client import GuestClient
from pytest_rogue.desktops.protocol import DesktopSpec
desktop = LocalProvider().start(DesktopSpec(width=1024, height=768, timeout=60))
print(namespace_of(first_process(desktop._sandbox)), os.geteuid(), flush=True)
sys.stdin.read()
"""
"""A program that starts a desktop, says its process namespace and its own user, and waits for the end of its input."""


def namespace(desktop: LocalDesktop) -> str:
    return namespace_of(first_process(desktop._sandbox))


def door_of(desktop: LocalDesktop) -> str:
    return f"\0pytest-rogue-{desktop.id}"


def run_here(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def can_be_read(path: Path) -> bool:
    """An ordinary user may not read the environment of a process that protects its memory."""
    try:
        path.read_bytes()
    except PermissionError:
        return False
    return True


def start_elsewhere(*prefix: str, python: str = sys.executable, **environment: str) -> subprocess.Popen[str]:
    """Start a desktop from a process of its own."""
    paths = [str(CHECKOUT), *(path for path in sys.path if path.endswith("-packages"))]
    return subprocess.Popen(
        [*prefix, python, "-c", START_AND_WAIT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": ":".join(paths)} | environment,
    )


def first_line(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    words = process.stdout.readline().split()
    assert words, "no desktop came up"
    return words


# --- what one gets --------------------


def test_a_started_desktop_is_a_running_desktop_with_the_screen_that_was_asked_for(desktop: LocalDesktop) -> None:
    assert isinstance(desktop, Desktop)
    assert desktop.alive()
    screenshot = desktop.guest.step(0, None).screenshot
    assert screenshot is not None
    assert struct.unpack_from(">II", screenshot, 16) == (1024, 768)


def test_an_applications_window_comes_up_and_is_worked_with(desktop: LocalDesktop) -> None:
    desktop.guest.write_file("~/note.txt", b"hello", mode=0o600)
    window = desktop.guest.launch(["mousepad", "/home/user/note.txt"], "note.txt")
    assert window.id in {listed.id for listed in desktop.guest.windows()}
    reply = desktop.guest.step(1, Action.python("pyautogui.write('well '); pyautogui.hotkey('ctrl', 's')"))
    assert reply.result is not None
    assert (reply.result.executed, reply.result.exit_code, reply.result.stderr) == ("yes", 0, "")
    assert wait_until(lambda: desktop.guest.read_file("~/note.txt") == b"well hello")


def test_the_accessibility_tree_of_a_real_window_passes_the_clients_checks(desktop: LocalDesktop) -> None:
    desktop.guest.launch(["mousepad"], "Mousepad")
    reply = desktop.guest.step(1, None, a11y=True)
    assert reply.a11y_problem == ""
    assert reply.a11y is not None
    assert "Mousepad" in reply.a11y


def test_files_and_folders_go_in_and_out(desktop: LocalDesktop) -> None:
    desktop.guest.make_folder("~/papers/empty")
    desktop.guest.write_file("~/papers/run.sh", b"\x00\xff", mode=0o755)
    desktop.guest.write_file("~/papers/nothing", b"")
    assert desktop.guest.read_file("~/papers/run.sh") == b"\x00\xff"
    assert desktop.guest.read_file("~/papers/nothing") == b""
    listed = {entry.path: (entry.type, entry.mode & 0o777) for entry in desktop.guest.list_folder("~/papers")}
    assert (listed["empty"][0], listed["run.sh"], listed["nothing"][0]) == ("folder", ("file", 0o755), "file")


def test_a_command_runs_without_a_shell(desktop: LocalDesktop) -> None:
    done = desktop.guest.run(["cat", "-", "$(touch /tmp/made)"], input="in")
    assert (done.stdout, done.exit_code) == ("in", 1)


def test_the_token_stands_in_no_command_line_and_no_environment(
    start_desktop: Callable[..., LocalDesktop], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secrets, "token_urlsafe", lambda _: "the-token-of-this-desktop")
    desktop = start_desktop()
    desktop.guest.launch(["mousepad"], "Mousepad")
    processes = [desktop._sandbox._process.pid, *processes_in(namespace(desktop))]
    told = [Path(f"/proc/{pid}/{name}") for pid in processes for name in ("cmdline", "environ")]
    readable = [path for path in told if can_be_read(path)]
    assert len(readable) > len(processes)
    assert [path for path in readable if b"the-token-of-this-desktop" in path.read_bytes()] == []


# --- apart from each other --------------------


def test_one_desktop_does_not_reach_the_others_door(start_desktop: Callable[..., LocalDesktop]) -> None:
    first, second = start_desktop(), start_desktop()
    connect = f"socket.socket(socket.AF_UNIX).connect_ex({door_of(first)!r})"
    code = f"import errno, socket; print(errno.errorcode.get({connect}, 'connected'))"
    assert run_here(code) == "connected"
    assert second.guest.run(["python3", "-c", code]).stdout.strip() == "ECONNREFUSED"


def test_files_of_one_desktop_are_not_seen_in_another(start_desktop: Callable[..., LocalDesktop]) -> None:
    first, second = start_desktop(), start_desktop()
    for folder in ("/home/user", "/tmp", "/dev/shm"):
        first.guest.write_file(f"{folder}/mine", b"1")
        assert second.guest.run(["ls", folder]).stdout.split().count("mine") == 0


def test_a_fork_bomb_in_one_desktop_leaves_another_answering(start_desktop: Callable[..., LocalDesktop]) -> None:
    wild, calm = start_desktop(), start_desktop()
    bomb = "import os, time\nwhile True:\n  try: os.fork()\n  except OSError: time.sleep(0.1)"
    wild.guest.step(1, Action.python(f"import subprocess; subprocess.Popen(['python3', '-c', {bomb!r}])"))
    inside = namespace(wild)
    assert wait_until(lambda: len(processes_in(inside)) > 200)
    assert calm.guest.step(1, Action.python("print('here')")).result is not None
    assert len(processes_in(inside)) <= 520
    wild.stop()
    assert processes_in(inside) == []


def test_a_memory_hog_in_one_desktop_is_stopped_and_leaves_another_answering(
    start_desktop: Callable[..., LocalDesktop],
) -> None:
    wild, calm = start_desktop(2048), start_desktop()
    hog = wild.guest.run(["python3", "-c", "a = [bytes(2 ** 20) for _ in range(4096)]"], timeout=120)
    assert "MemoryError" in hog.stderr
    assert calm.guest.step(1, Action.python("print('here')")).result is not None
    assert wild.guest.ready() == ()


# --- ends --------------------


def test_a_stopped_desktop_leaves_no_process_and_refuses_connections(desktop: LocalDesktop) -> None:
    desktop.guest.launch(["mousepad"], "Mousepad")
    inside = namespace(desktop)
    spare = GuestClient(token="any", uds=door_of(desktop))
    desktop.stop()
    desktop.stop()
    assert (desktop.alive(), processes_in(inside)) == (False, [])
    with pytest.raises(DesktopLost, match="does not accept connections"):
        spare.info()
    spare.close()


def test_a_desktop_whose_guest_died_refuses_connections(desktop: LocalDesktop) -> None:
    os.kill(first_process(desktop._sandbox), signal.SIGKILL)
    assert wait_until(lambda: not desktop.alive())
    with pytest.raises(DesktopLost):
        desktop.guest.info()


def test_twenty_desktops_one_after_the_other_leave_nothing() -> None:
    start_and_stop()
    before = what_a_desktop_may_leave()
    for _ in range(20):
        assert processes_in(start_and_stop()) == []
    assert what_a_desktop_may_leave() == before


def start_and_stop() -> str:
    desktop = local.LocalProvider().start(DesktopSpec(width=1024, height=768, timeout=60))
    inside = namespace(desktop)
    desktop.stop()
    return inside


def what_a_desktop_may_leave() -> tuple[int, tuple[Desktop, ...]]:
    """Return how many descriptors we have open, and the desktops that count as running."""
    gc.collect()
    return len(list(Path("/proc/self/fd").iterdir())), leases.running()


def test_a_desktop_that_nobody_refers_to_ends() -> None:
    desktop = local.LocalProvider().start(DesktopSpec(width=1024, height=768, timeout=60))
    inside = namespace(desktop)
    del desktop
    gc.collect()
    assert wait_until(lambda: processes_in(inside) == [])


def test_all_desktops_of_the_process_can_be_stopped_at_once(start_desktop: Callable[..., LocalDesktop]) -> None:
    desktops = [start_desktop(), start_desktop()]
    assert leases.stop_all() == 2
    assert [desktop.alive() for desktop in desktops] == [False, False]


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM], ids=["SIGKILL", "SIGTERM"])
def test_a_desktop_dies_with_the_process_that_started_it(end: signal.Signals) -> None:
    with start_elsewhere() as starter:
        inside, _ = first_line(starter)
        assert processes_in(inside)
        starter.send_signal(end)
        starter.wait(30)
    assert wait_until(lambda: processes_in(inside) == [])


def test_a_desktop_ends_with_the_interpreter_that_forgot_to_stop_it() -> None:
    with start_elsewhere() as starter:
        inside, _ = first_line(starter)
        starter.communicate(timeout=60)
    assert starter.returncode == 0
    assert wait_until(lambda: processes_in(inside) == [])


def test_a_desktop_that_does_not_start_is_an_error_with_the_guests_words_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local, "GUEST_PYTHON", "/usr/bin/no-such-python")
    before = leases.running()
    with pytest.raises(DesktopStartError, match=r"ended before it was ready; the guest said: .*no-such-python"):
        local.LocalProvider().start(DesktopSpec())
    assert leases.running() == before


def test_an_ordinary_user_has_the_same_desktop() -> None:
    if os.geteuid() != 0:
        pytest.skip("we are an ordinary user, and so were all desktops of this file")
    user = 12345
    become = ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups")
    with tempfile.TemporaryDirectory() as cache:
        os.chown(cache, user, user)
        with start_elsewhere(*become, python=_python_of(become), HOME=cache, XDG_CACHE_HOME=cache) as starter:
            inside, seen_user = first_line(starter)
            assert seen_user == str(user)
            assert processes_in(inside)
            starter.communicate(timeout=60)
    assert wait_until(lambda: processes_in(inside) == [])


def _python_of(become: tuple[str, ...]) -> str:
    """Return an interpreter of our version that this user may run; ours may stand in root's home."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in filter(None, (sys.executable, shutil.which(version, path="/usr/bin"))):
        if subprocess.run([*become, python, "-c", ""], check=False, capture_output=True).returncode == 0:
            return python
    pytest.skip(f"no {version} here that an ordinary user may run")
