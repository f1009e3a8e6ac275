"""Desktops in containers from start to end: a real engine, the real guest."""

from __future__ import annotations

import gc
import json
import os
import signal
import struct
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import requests

from pytest_rogue.desktops import docker, leases
from pytest_rogue.desktops.docker_door import FOLDER_PREFIX, runtime_folder
from pytest_rogue.desktops.docker_engine import DESKTOP_LABEL, OWNER_LABEL, RUN_LABEL, Engine, EngineFault
from pytest_rogue.desktops.docker_guest import ContainerGuest
from pytest_rogue.desktops.owner import Owner
from pytest_rogue.desktops.protocol import Desktop, DesktopSpec, Provider
from pytest_rogue.errors import ConfigError, DesktopLost, DesktopStartError
from pytest_rogue.interaction import Action
from tests.docker.conftest import IMAGE, RUN, SPEC
from tests.host_processes import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_rogue.desktops.docker import DockerDesktop, DockerProvider

pytestmark = pytest.mark.docker

CHECKOUT = Path(__file__).parents[2]

START_AND_WAIT = f"""
import sys
from pytest_rogue.desktops.docker import DockerProvider
from tests.docker.conftest import SPEC
desktop = DockerProvider(image={IMAGE!r}, run_id={RUN!r}).start(SPEC)
print(desktop.container, flush=True)
sys.stdin.read()
"""
"""A program that starts a desktop, says its container, and waits for the end of its input."""


def start_elsewhere() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", START_AND_WAIT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=CHECKOUT
    )


def container_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    container = process.stdout.readline().strip()
    assert container, "no desktop came up"
    return container


def all_of_ours(engine: Engine) -> list[str]:
    """Return whatever carries the label of our run."""
    found = []
    for kind in ("containers", "networks", "volumes"):
        found += [str(thing) for thing in engine.labelled(kind, [f"{RUN_LABEL}={RUN}"])]
    return found


def doors() -> list[Path]:
    """Return the doors of this process."""
    ours = str(Owner.this_process())
    return [door for door in runtime_folder().glob(f"{FOLDER_PREFIX}*") if (door / "owner").read_text() == ours]


def inspected(provider: DockerProvider, desktop: DockerDesktop) -> dict[str, Any]:
    facts: dict[str, Any] = provider.engine.api.inspect_container(desktop.container)
    return facts


# --- what one gets --------------------


def test_a_variable_that_vanishes_while_the_engine_is_asked_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As pytest's own does, between two phases of a test, where another thread removes a desktop."""
    looks, vanished = requests.utils.get_environ_proxies, [KeyError("PYTEST_CURRENT_TEST")]

    def look(*asked: Any, **more: Any) -> Any:
        if vanished:
            raise vanished.pop()
        return looks(*asked, **more)

    monkeypatch.setattr(requests.sessions, "get_environ_proxies", look)
    engine = Engine()
    found = [engine.api.ping()]
    vanished.append(KeyError("PYTEST_CURRENT_TEST"))
    found.append(engine.api.ping())
    engine.close()
    assert (found, vanished) == ([True, True], [])


def test_a_started_desktop_is_a_running_desktop_with_the_screen_that_was_asked_for(
    provider: DockerProvider, desktop: DockerDesktop
) -> None:
    assert isinstance(desktop, Desktop)
    assert isinstance(provider, Provider)
    assert desktop.alive()
    screenshot = desktop.guest.step(0, None).screenshot
    assert screenshot is not None
    assert struct.unpack_from(">II", screenshot, 16) == (1024, 768)


def test_an_applications_window_comes_up_and_is_worked_with(desktop: DockerDesktop) -> None:
    desktop.guest.write_file("~/note.txt", b"hello", mode=0o600)
    desktop.guest.launch(["mousepad", "/home/user/note.txt"], "note.txt")
    reply = desktop.guest.step(1, Action.python("pyautogui.write('well '); pyautogui.hotkey('ctrl', 's')"), a11y=True)
    assert reply.result is not None
    assert (reply.result.executed, reply.result.exit_code, reply.result.stderr) == ("yes", 0, "")
    assert wait_until(lambda: desktop.guest.read_file("~/note.txt") == b"well hello")
    assert "note.txt" in (reply.a11y or "")


def test_the_evidence_is_kept_from_the_agents_programs(desktop: DockerDesktop) -> None:
    assert desktop.guest.info().capabilities["evidence_protected"]


def test_home_begins_as_the_images_skeleton(desktop: DockerDesktop) -> None:
    listed = desktop.guest.run(["ls", "-A", "/etc/skel"]).stdout.split()
    assert set(listed) <= set(desktop.guest.run(["ls", "-A", "/home/user"]).stdout.split())


def test_applications_that_the_image_lacks_are_named(provider: DockerProvider) -> None:
    assert provider.missing(["mousepad", "no-such-app"]) == ["no-such-app"]


def test_sudo_is_named_though_the_image_has_a_program_of_that_name(provider: DockerProvider) -> None:
    assert provider.missing(["sudo"]) == ["sudo"]


def test_what_is_needed_is_found_ready(provider: DockerProvider) -> None:
    needs = provider.readiness()
    assert [need.name for need in needs if not need.ready] == []
    assert {"desktop image", "limits for a container"} <= {need.name for need in needs}


# --- what it may --------------------


def test_no_rights_no_network_no_writable_mount_no_port(provider: DockerProvider, desktop: DockerDesktop) -> None:
    facts = inspected(provider, desktop)
    host = facts["HostConfig"]
    assert host["CapDrop"] == ["ALL"]
    assert "no-new-privileges:true" in host["SecurityOpt"]
    assert (host["Privileged"], host["ReadonlyRootfs"], host["NetworkMode"]) == (False, True, "none")
    assert [mount["RW"] for mount in facts["Mounts"] if mount["Type"] != "tmpfs"] == [False]
    assert not facts["NetworkSettings"]["Ports"]


def test_memory_processes_and_processors_are_bounded(provider: DockerProvider, desktop: DockerDesktop) -> None:
    host = inspected(provider, desktop)["HostConfig"]
    assert host["Memory"] == host["MemorySwap"] == SPEC.memory_mb * 1024 * 1024
    assert host["PidsLimit"] > 0
    assert host["NanoCpus"] > 0
    assert host["ShmSize"] >= 512 * 1024 * 1024


def test_the_token_is_not_seen_from_outside_nor_by_programs_inside(
    provider: DockerProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker.secrets, "token_urlsafe", lambda _: "the-token-of-this-desktop")  # type: ignore[attr-defined]
    desktop = provider.start(SPEC)
    assert "the-token-of-this-desktop" not in json.dumps(inspected(provider, desktop))
    look = "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/1/mem; grep -r the-token /home /run /tmp /door"
    done = desktop.guest.run(["bash", "-c", look])
    assert "the-token-of-this-desktop" not in done.stdout
    assert "/proc/1/mem: Permission denied" in done.stderr
    desktop.stop()


def test_nothing_in_the_desktop_speaks_of_a_test(desktop: DockerDesktop) -> None:
    told = desktop.guest.run(["ps", "-eo", "args"]).stdout + desktop.guest.run(["env"]).stdout
    assert not {word for word in ("pytest", "rogue", "test run") if word in told.lower()}


def test_a_process_that_was_left_behind_is_collected(desktop: DockerDesktop) -> None:
    desktop.guest.run(["bash", "-c", "(sleep 0.05 &) ; true"])
    assert wait_until(lambda: "Z" not in desktop.guest.run(["ps", "-eo", "stat"]).stdout)


@pytest.mark.parametrize("network", ["internal", "full"])
def test_desktops_on_a_network_do_not_reach_each_other_and_the_network_goes_with_the_provider(
    make_provider: Callable[..., DockerProvider], network: str
) -> None:
    provider = make_provider(network=network)
    one, other = provider.start(SPEC), provider.start(SPEC)
    (made,) = provider.engine.labelled("networks", [f"{RUN_LABEL}={RUN}"])
    assert made["Internal"] is (network == "internal")
    (address,) = [net["IPAddress"] for net in inspected(provider, one)["NetworkSettings"]["Networks"].values()]
    serve = "import socket; s = socket.create_server(('', 8000)); print(s.accept())"
    one.guest.step(1, Action.python(f"import subprocess; subprocess.Popen(['python3', '-c', {serve!r}])"))
    connect = f"import socket; socket.create_connection(('{address}', 8000), 1)"
    assert wait_until(lambda: one.guest.run(["python3", "-c", connect]).exit_code == 0)
    one.guest.step(2, Action.python(f"import subprocess; subprocess.Popen(['python3', '-c', {serve!r}])"))
    assert other.guest.run(["python3", "-c", connect]).exit_code == 1
    for desktop in (one, other):
        desktop.stop()
    provider.close()
    assert all_of_ours(provider.engine) == []


def test_a_network_that_does_not_exist_is_refused_at_once() -> None:
    with pytest.raises(ConfigError, match=r"no network 'all' for desktops; known: none, internal, full"):
        docker.DockerProvider(network="all")  # type: ignore[arg-type]


# --- labels --------------------


def test_a_container_says_its_run_its_owner_and_its_desktop(provider: DockerProvider, desktop: DockerDesktop) -> None:
    labels = inspected(provider, desktop)["Config"]["Labels"]
    assert (labels[RUN_LABEL], labels[DESKTOP_LABEL]) == (RUN, desktop.id)
    assert Owner.parse(labels[OWNER_LABEL]) == Owner.this_process()


def test_four_that_start_together_are_four_desktops(provider: DockerProvider) -> None:
    with ThreadPoolExecutor(4) as threads:
        desktops = list(threads.map(lambda _: provider.start(SPEC), range(4)))
    for number, desktop in enumerate(desktops):
        desktop.guest.write_file("~/mine", str(number).encode())
    assert [desktop.guest.read_file("~/mine") for desktop in desktops] == [b"0", b"1", b"2", b"3"]
    for desktop in desktops:
        desktop.stop()


# --- ends --------------------


def test_a_stopped_desktop_leaves_nothing_and_refuses_connections(provider: DockerProvider) -> None:
    desktop = provider.start(SPEC)
    desktop.stop()
    desktop.stop()
    assert not desktop.alive()
    assert all_of_ours(provider.engine) == []
    with pytest.raises(DesktopLost):
        desktop.guest.info()


def test_a_desktop_that_nobody_refers_to_ends(provider: DockerProvider) -> None:
    desktop = provider.start(SPEC)
    del desktop
    gc.collect()
    assert all_of_ours(provider.engine) == []


def test_thirty_desktops_one_after_the_other_leave_nothing(provider: DockerProvider) -> None:
    provider.start(SPEC).stop()
    before = what_may_be_left(provider)
    for _ in range(30):
        provider.start(SPEC).stop()
    assert what_may_be_left(provider) == before
    assert all_of_ours(provider.engine) == []


def what_may_be_left(provider: DockerProvider) -> tuple[object, ...]:
    gc.collect()
    api = provider.engine.api
    volumes, networks = len(api.volumes()["Volumes"] or []), len(api.networks())
    provider.engine.close()  # what it keeps open for later is not left behind
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    return volumes, networks, doors(), descriptors, threading.active_count(), leases.running()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=["SIGKILL", "SIGTERM", "Ctrl-C"])
def test_a_container_dies_and_goes_with_the_process_that_started_it(
    provider: DockerProvider, end: signal.Signals
) -> None:
    with start_elsewhere() as starter:
        container = container_of(starter)
        assert provider.engine.state(container) is not None
        starter.send_signal(end)
        starter.wait(30)
    assert wait_until(lambda: provider.engine.state(container) is None)


def test_a_desktop_ends_with_the_interpreter_that_forgot_to_stop_it(provider: DockerProvider) -> None:
    with start_elsewhere() as starter:
        container = container_of(starter)
        starter.communicate(timeout=60)
    assert starter.returncode == 0
    assert provider.engine.state(container) is None


# --- faults --------------------


def test_a_container_killed_in_mid_episode_is_a_lost_desktop_with_the_reason(
    provider: DockerProvider, desktop: DockerDesktop
) -> None:
    provider.engine.api.kill(desktop.container)
    assert wait_until(lambda: not desktop.alive())
    with pytest.raises(DesktopLost, match="its container is gone: it was killed with signal 9"):
        desktop.guest.step(1, Action.python("pyautogui.click(10, 10)"))


def test_a_container_killed_during_a_step_is_a_lost_desktop(provider: DockerProvider, desktop: DockerDesktop) -> None:
    killer = threading.Timer(0.5, provider.engine.api.kill, [desktop.container])
    killer.start()
    with pytest.raises(DesktopLost):
        desktop.guest.step(1, Action.python("import time; time.sleep(20)"))
    killer.join()


def test_a_memory_hog_is_stopped_and_leaves_another_desktop_answering(provider: DockerProvider) -> None:
    wild, calm = provider.start(DesktopSpec(memory_mb=1024, timeout=60)), provider.start(SPEC)
    wild.guest.run(["python3", "-c", "a = [bytes(2 ** 20) for _ in range(4096)]"], timeout=60)
    assert calm.guest.step(1, Action.python("print('here')")).result is not None
    for desktop in (wild, calm):
        desktop.stop()


def test_a_fork_bomb_is_bounded_and_leaves_another_desktop_answering(provider: DockerProvider) -> None:
    wild, calm = provider.start(SPEC), provider.start(SPEC)
    bomb = "import os, time\nwhile True:\n  try: os.fork()\n  except OSError: time.sleep(0.1)"
    wild.guest.step(1, Action.python(f"import subprocess; subprocess.Popen(['python3', '-c', {bomb!r}])"))
    assert wait_until(lambda: processes_of(provider, wild) > 200, seconds=60)
    assert calm.guest.step(1, Action.python("print('here')")).result is not None
    assert processes_of(provider, wild) <= inspected(provider, wild)["HostConfig"]["PidsLimit"]
    for desktop in (wild, calm):
        desktop.stop()


def processes_of(provider: DockerProvider, desktop: DockerDesktop) -> int:
    return int(provider.engine.api.stats(desktop.container, stream=False)["pids_stats"]["current"])


def test_an_image_that_is_not_there_is_said_in_one_sentence(make_provider: Callable[..., DockerProvider]) -> None:
    with pytest.raises(DesktopStartError, match=r"does not have the image \(no-such-image.*pytest-rogue image build"):
        make_provider(image="no-such-image:1").start(SPEC)


def test_an_engine_that_is_down_is_said_in_one_sentence(
    make_provider: Callable[..., DockerProvider], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no-engine.sock")
    with pytest.raises(DesktopStartError, match=r"no Docker engine answers at unix://.*start it"):
        make_provider().start(SPEC)


def test_an_engine_that_is_down_is_not_ready_and_says_how_to_start_it(
    make_provider: Callable[..., DockerProvider], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no-engine.sock")
    (need,) = make_provider().readiness()
    assert (need.ready, "systemctl start docker" in need.fix) == (False, True)


def test_an_image_without_a_guest_is_an_error_that_leaves_nothing(
    provider: DockerProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker, "start_command", lambda _: ["/bin/false"])
    with pytest.raises(DesktopStartError):
        provider.start(SPEC)
    assert (all_of_ours(provider.engine), doors(), leases.running()) == ([], [], ())


def test_a_container_that_was_created_and_not_started_is_removed_by_its_label(
    provider: DockerProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Engine, container: str) -> None:
        raise EngineFault(f"{container} cannot be started")

    monkeypatch.setattr(Engine, "start", refuse)
    with pytest.raises(DesktopStartError, match="cannot be started"):
        provider.start(SPEC)
    assert (all_of_ours(provider.engine), doors()) == ([], [])


def test_a_container_whose_creation_was_never_answered_is_removed_by_its_label(
    provider: DockerProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = Engine.create

    def create_and_lose_the_answer(engine: Engine, name: str, **options: Any) -> str:
        create(engine, name, **options)
        raise EngineFault("the answer was lost")

    monkeypatch.setattr(Engine, "create", create_and_lose_the_answer)
    with pytest.raises(DesktopStartError, match="the answer was lost"):
        provider.start(SPEC)
    assert all_of_ours(provider.engine) == []


def test_ctrl_c_during_a_start_leaves_nothing(provider: DockerProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ContainerGuest, "wait_ready", interrupt)
    with pytest.raises(KeyboardInterrupt):
        provider.start(SPEC)
    assert (all_of_ours(provider.engine), doors()) == ([], [])


# --- an engine elsewhere --------------------


@pytest.fixture
def engine_elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The engine of this machine, reached by TCP as one of another machine is."""
    words = [sys.executable, str(Path(__file__).with_name("engine_by_tcp.py"))]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as forwarder:
        assert forwarder.stdout is not None
        monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{int(forwarder.stdout.readline())}")
        yield
        forwarder.communicate(timeout=30)


@pytest.mark.usefixtures("engine_elsewhere")
def test_a_remote_engine_needs_neither_a_port_nor_a_network_nor_a_mount(
    make_provider: Callable[..., DockerProvider],
) -> None:
    provider = make_provider()
    desktop = provider.start(SPEC)
    facts = inspected(provider, desktop)
    mounted = [mount for mount in facts["Mounts"] if mount["Type"] != "tmpfs"]
    assert (facts["HostConfig"]["NetworkMode"], mounted, facts["NetworkSettings"]["Ports"]) == ("none", [], {})
    content = os.urandom(3_000_000)
    desktop.guest.write_file("~/big", content)
    assert desktop.guest.read_file("~/big") == content
    assert desktop.guest.step(1, Action.python("print('here')")).result is not None
    desktop.stop()
    assert all_of_ours(provider.engine) == []


@pytest.mark.usefixtures("engine_elsewhere")
def test_a_container_of_a_remote_engine_dies_and_goes_with_the_process_that_started_it(
    make_provider: Callable[..., DockerProvider],
) -> None:
    engine = make_provider().engine
    with start_elsewhere() as starter:
        container = container_of(starter)
        starter.kill()
        starter.wait(30)
    assert wait_until(lambda: engine.state(container) is None)


@pytest.mark.usefixtures("engine_elsewhere")
def test_a_container_killed_on_a_remote_engine_is_a_lost_desktop(make_provider: Callable[..., DockerProvider]) -> None:
    provider = make_provider()
    desktop = provider.start(SPEC)
    provider.engine.api.kill(desktop.container)
    with pytest.raises(DesktopLost):
        desktop.guest.step(1, Action.python("pyautogui.click(10, 10)"))
    desktop.stop()
