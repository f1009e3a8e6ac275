"""What a sandbox keeps out, and that nothing of it stays. Real sandboxes, with shell scripts in the guest's place."""

from __future__ import annotations

import gc
import os
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.errors import DesktopStartError
from pytest_rogue.guest import power_command
from tests.host_processes import first_process, namespace_of, processes_in, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_rogue.desktops.sandbox import Sandbox

pytestmark = pytest.mark.desktop

FOREVER = "while :; do sleep 1000; done"


@pytest.fixture
def start_script() -> Iterator[Callable[[str], Sandbox]]:
    """Start a sandbox that runs a shell script."""
    from pytest_rogue.desktops.bundle import bundle
    from pytest_rogue.desktops.limits import Limits
    from pytest_rogue.desktops.sandbox import Sandbox
    from pytest_rogue.desktops.sandbox_layout import sandbox_options

    limits = Limits(home_size=1024 * 1024, scratch_size=1024 * 1024)
    started: list[Sandbox] = []

    def start(script: str) -> Sandbox:
        started.append(Sandbox(sandbox_options(bundle(), limits), [*limits.command(), "/bin/sh", "-c", script]))
        return started[-1]

    yield start
    for sandbox in started:
        sandbox.end()


@pytest.fixture
def output_of(start_script: Callable[[str], Sandbox]) -> Callable[[str], str]:
    """Run a shell script in a sandbox to its end and return what it printed."""

    def run(script: str) -> str:
        sandbox = start_script(script)
        assert wait_until(lambda: not sandbox.alive())
        return sandbox.stderr_tail()

    return run


@pytest.mark.parametrize(
    "path", ["/root", "/etc/shadow", "/etc/ssh", "/etc/ssl", "/etc/resolv.conf", "/sys", "/boot", "/srv", "/mnt"]
)
def test_the_hosts_private_folders_are_not_there(output_of: Callable[[str], str], path: str) -> None:
    assert output_of(f"test -e {path} && echo there || echo absent") == "absent"


def test_this_checkout_is_not_there(output_of: Callable[[str], str]) -> None:
    assert output_of(f"test -e {Path(__file__)} && echo there || echo absent") == "absent"


def test_programs_that_were_installed_by_hand_are_not_there(output_of: Callable[[str], str]) -> None:
    assert output_of("ls -A /usr/local") == "bin"
    assert set(output_of("ls -A /usr/local/bin").split()) == set(power_command.NAMES)


@pytest.mark.parametrize("name", ["shutdown", "/sbin/shutdown", "poweroff", "systemctl", "sudo"])
def test_what_could_end_a_real_machine_is_not_the_hosts(output_of: Callable[[str], str], name: str) -> None:
    assert "there is no system manager" in output_of(f"{name} now 2>&1 || test -e {name} || true")


def test_host_name_users_and_time_zone_are_the_desktops_own(output_of: Callable[[str], str]) -> None:
    assert output_of("cat /etc/hostname; hostname; id; date +%Z").splitlines() == [
        "desktop",
        "desktop",
        "uid=1000(user) gid=1000(user) groups=1000(user)",
        "UTC",
    ]


def test_nothing_of_the_hosts_environment_comes_in(
    output_of: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY_KEY", "sk-canary")
    assert "canary" not in output_of("env; cat /proc/*/environ | tr '\\0' '\\n'").lower()


@pytest.mark.parametrize("place", ["/", "/usr", "/etc", "/opt/guest", "/dev", "/usr/local"])
def test_the_system_cannot_be_changed(output_of: Callable[[str], str], place: str) -> None:
    assert output_of(f"touch {place}/mine 2>/dev/null && echo written || echo refused") == "refused"


@pytest.mark.parametrize("place", ["/home/user", "/tmp", "/dev/shm", "/run/user/1000"])
def test_there_is_room_for_files_but_not_without_end(output_of: Callable[[str], str], place: str) -> None:
    script = f"cd {place}; echo a > small && head -c 3000000 /dev/zero > large 2>/dev/null || stat -c %s small large"
    small, large = output_of(script).split()
    assert (small, int(large) <= 1024 * 1024) == ("2", True)


def test_there_is_no_network_but_an_empty_loopback(output_of: Callable[[str], str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as host_server:
        port = host_server.getsockname()[1]
        probe = f"import socket; print(socket.socket().connect_ex(('127.0.0.1', {port})) and 'refused')"
        said = output_of(f'/usr/bin/python3 -c "{probe}"; tail -n +3 /proc/net/dev | cut -d: -f1')
    assert said.split() == ["refused", "lo"]


def test_an_abstract_socket_of_the_host_is_out_of_reach(output_of: Callable[[str], str]) -> None:
    name = f"rogue-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as host_socket:
        host_socket.bind(f"\0{name}")
        host_socket.listen()
        connect = f"socket.socket(socket.AF_UNIX).connect_ex(chr(0) + '{name}')"
        said = output_of(f'/usr/bin/python3 -c "import socket; print({connect} and 1)"')
    assert said == "1"


def test_processes_of_the_host_are_not_seen(output_of: Callable[[str], str]) -> None:
    assert int(output_of("ls -d /proc/[0-9]* | wc -l")) < 10


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")
def test_started_by_root_it_is_an_unprivileged_user_of_the_host(start_script: Callable[[str], Sandbox]) -> None:
    from pytest_rogue.desktops.namespaces import NOBODY

    status = Path(f"/proc/{start_script(FOREVER)._process.pid}/status").read_text(encoding="ascii")
    ids = {line.split(":")[0]: line.split(":")[1].split() for line in status.splitlines() if "id:" in line}
    assert (ids["Uid"], ids["Gid"]) == ([str(NOBODY)] * 4, [str(NOBODY)] * 4)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to keep")
def test_where_only_root_may_make_namespaces_root_makes_them(
    output_of: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_rogue.desktops.namespaces.host_user", lambda: None)
    said = output_of("id -u; touch /usr/mine 2>/dev/null || echo refused; test -e /etc/shadow || echo absent")
    assert said.split() == ["1000", "refused", "absent"]


# --- ends --------------------


def test_the_end_takes_all_processes_with_it_also_those_that_left_their_session(
    start_script: Callable[[str], Sandbox],
) -> None:
    sandbox = start_script(f"setsid sh -c '{FOREVER}' & {FOREVER}")
    namespace = namespace_of(first_process(sandbox))
    assert wait_until(lambda: len(processes_in(namespace)) >= 5)
    sandbox.end()
    assert processes_in(namespace) == []


def test_the_end_may_come_twice(start_script: Callable[[str], Sandbox]) -> None:
    sandbox = start_script(FOREVER)
    sandbox.end()
    sandbox.end()
    assert not sandbox.alive()


def test_it_lives_on_when_the_thread_that_asked_for_it_ends(start_script: Callable[[str], Sandbox]) -> None:
    started: list[Sandbox] = []
    thread = threading.Thread(target=lambda: started.append(start_script(f"{FOREVER}")))
    thread.start()
    thread.join()
    assert not wait_until(lambda: not started[0].alive(), seconds=0.3)


def test_a_sandbox_that_cannot_be_set_up_is_an_error_with_the_reason() -> None:
    from pytest_rogue.desktops.sandbox import Sandbox

    with pytest.raises(DesktopStartError, match="no-such-option"):
        Sandbox(["--no-such-option"], ["true"])


def test_a_sandbox_without_its_program_ends_and_says_why() -> None:
    from pytest_rogue.desktops.sandbox import Sandbox

    sandbox = Sandbox(["--unshare-all", "--ro-bind", "/no/such/folder", "/"], ["true"])
    assert wait_until(lambda: not sandbox.alive())
    sandbox.end()
    assert "/no/such/folder" in sandbox.stderr_tail()


def test_a_missing_bubblewrap_is_an_error_that_names_the_doctor(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from pytest_rogue.desktops import sandbox

    monkeypatch.setattr(sandbox, "SPAWN_PATH", str(tmp_path))
    with pytest.raises(DesktopStartError, match="pytest-rogue doctor"):
        sandbox.Sandbox(["--unshare-all"], ["true"])


def test_the_options_are_not_seen_from_inside(output_of: Callable[[str], str]) -> None:
    assert "ro-bind" not in output_of("cat /proc/1/cmdline | tr '\\0' ' '; true")


def test_starts_and_ends_leave_no_descriptor_open(start_script: Callable[[str], Sandbox]) -> None:
    from pytest_rogue.desktops.bundle import bundle
    from pytest_rogue.desktops.limits import Limits
    from pytest_rogue.desktops.sandbox import Sandbox
    from pytest_rogue.desktops.sandbox_layout import sandbox_options

    start_script("true").end()
    gc.collect()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        Sandbox(sandbox_options(bundle(), Limits()), ["/bin/sh", "-c", FOREVER]).end()
    gc.collect()
    assert len(list(Path("/proc/self/fd").iterdir())) == before
