"""A machine of OSWorld's in a container: a stand-in for its image, with a stock server on a real screen."""

from __future__ import annotations

import io
import os
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from pytest_rogue.desktops import docker_stock
from pytest_rogue.desktops.docker_engine import DESKTOP_LABEL, OWNER_LABEL, RUN_LABEL, Engine
from pytest_rogue.desktops.docker_image import image_name
from pytest_rogue.desktops.docker_stock import SERVER_PORT, VM_PATH, StockDockerProvider, is_stock_image
from pytest_rogue.desktops.owner import Owner
from pytest_rogue.desktops.protocol import Desktop, Provider
from pytest_rogue.desktops.reaper import LeavesThings
from pytest_rogue.desktops.stock_takeover import TakenOverGuest
from pytest_rogue.errors import ConfigError, DesktopStartError
from pytest_rogue.interaction import Action
from tests.docker.conftest import IMAGE, RUN, SPEC

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_rogue.desktops.docker import DockerDesktop

pytestmark = pytest.mark.docker

STOCK_SERVER = Path(__file__).parents[1] / "stock_server.py"

DOCKERFILE = """
FROM {base}
COPY stock_server.py /run/
COPY entry.sh /run/
ENV CPU_CORES=1 RAM_SIZE=1G DISK_SIZE=16G
EXPOSE 22 5900
ENTRYPOINT ["/usr/bin/tini", "-s", "/run/entry.sh"]
CMD []
"""
ENTRY = "#!/bin/sh\nexec python3 /run/stock_server.py --host 0.0.0.0 --port 5000\n"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    engine = Engine()
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def own_image(engine: Engine) -> str:
    return IMAGE or image_name()


@pytest.fixture(scope="module")
def stand_in(engine: Engine, own_image: str) -> Iterator[str]:
    """An image that looks and behaves like OSWorld's, but for the virtual machine in it."""
    tag = f"pytest-rogue-stand-in:{os.getpid()}"
    texts = {
        "Dockerfile": DOCKERFILE.format(base=own_image),
        "entry.sh": ENTRY,
        "stock_server.py": STOCK_SERVER.read_text(encoding="utf-8"),
    }
    context = io.BytesIO()
    with tarfile.open(fileobj=context, mode="w") as archive:
        for name, text in texts.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(text.encode()), 0o755
            archive.addfile(member, io.BytesIO(text.encode()))
    context.seek(0)
    said = list(engine.api.build(fileobj=context, custom_context=True, tag=tag, rm=True, decode=True))
    assert not any("error" in line for line in said), said
    yield tag
    engine.api.remove_image(tag, force=True)


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    path = tmp_path / "Ubuntu.qcow2"
    path.write_bytes(b"the disk of a machine")
    return path


@pytest.fixture
def make_stock(stand_in: str, disk: Path) -> Iterator[Callable[..., StockDockerProvider]]:
    """Make providers whose containers are gone when the test is over."""
    made: list[StockDockerProvider] = []

    def make(**options: Any) -> StockDockerProvider:
        usual: dict[str, Any] = {
            "image": stand_in,
            "vm_path": disk,
            "run_id": RUN,
            "emulate": True,
            "boot_timeout": 120,
        }
        made.append(StockDockerProvider(**(usual | options)))
        return made[-1]

    yield make
    for provider in made:
        provider.close()


@pytest.fixture
def desktop(make_stock: Callable[..., StockDockerProvider]) -> Iterator[DockerDesktop]:
    desktop = make_stock().start(SPEC)
    yield desktop
    desktop.stop()


def left_of_this_run(engine: Engine) -> list[str]:
    return [str(container["Id"]) for container in engine.labelled("containers", [f"{RUN_LABEL}={RUN}"])]


# --- which images it is for --------------------


def test_an_image_with_a_machine_in_it_is_known_by_what_is_in_it(stand_in: str, own_image: str) -> None:
    assert is_stock_image(stand_in)
    assert not is_stock_image(own_image)


def test_an_image_that_is_not_there_is_known_by_its_name() -> None:
    assert is_stock_image("happysixd/osworld-docker:no-such-tag")
    assert is_stock_image("mirror.example/happysixd/osworld-docker")
    assert not is_stock_image("no-such-image")


# --- a desktop --------------------


def test_a_machine_is_taken_over_through_a_port_of_its_own(engine: Engine, desktop: DockerDesktop) -> None:
    assert isinstance(desktop, Desktop)
    assert isinstance(desktop.guest, TakenOverGuest)
    reply = desktop.guest.step(1, Action.python("print(pyautogui.position())"), a11y=True, a11y_seconds=60)
    assert reply.result is not None
    assert reply.result.stdout == "Point(x=512, y=384)\n"
    assert reply.a11y
    assert desktop.guest.info().capabilities["obstacle"]
    stock = f"http://{engine.published(desktop.container, SERVER_PORT)}/stand-in"
    assert httpx.get(stock, trust_env=False).json()["/execute"] == 1, "to start our guest, and for nothing else"


def test_its_container_is_as_the_image_asks_for_and_reached_from_here_only(
    engine: Engine, desktop: DockerDesktop, disk: Path
) -> None:
    facts = engine.api.inspect_container(desktop.container)
    addresses = [where["HostIp"] for outside in facts["NetworkSettings"]["Ports"].values() for where in outside or ()]
    assert set(addresses) == {"127.0.0.1"}
    (mount,) = facts["Mounts"]
    assert (mount["Source"], mount["Destination"], mount["RW"]) == (str(disk), VM_PATH, False)
    assert {"CPU_CORES=4", "RAM_SIZE=2048M", "DISK_SIZE=32G", "KVM=N"} <= set(facts["Config"]["Env"])
    assert (
        facts["Config"]["Labels"].items()
        >= {
            RUN_LABEL: RUN,
            OWNER_LABEL: str(Owner.this_process()),
            DESKTOP_LABEL: desktop.id,
        }.items()
    )
    assert desktop.guest.read_file(VM_PATH) == b"the disk of a machine"


def test_stopping_removes_the_container(engine: Engine, desktop: DockerDesktop) -> None:
    assert desktop.alive()
    desktop.stop()
    desktop.stop()
    assert engine.state(desktop.container) is None
    assert not desktop.alive()


def test_what_a_run_leaves_is_found_by_its_labels_and_removed(
    engine: Engine, make_stock: Callable[..., StockDockerProvider]
) -> None:
    provider = make_stock()
    assert isinstance(provider, LeavesThings)
    desktop = provider.start(SPEC)
    provider.close()
    assert engine.state(desktop.container) is None
    desktop.stop()


# --- what goes wrong --------------------


def test_a_container_that_ends_at_once_says_its_last_words_and_is_removed(
    engine: Engine, make_stock: Callable[..., StockDockerProvider], own_image: str
) -> None:
    with pytest.raises(DesktopStartError, match=r"its container said: guest: no token"):
        make_stock(image=own_image).start(SPEC)
    assert left_of_this_run(engine) == []


def test_a_machine_that_does_not_boot_in_time_is_removed(
    engine: Engine, make_stock: Callable[..., StockDockerProvider]
) -> None:
    with pytest.raises(DesktopStartError, match=r"was not ready after 0.01 s"):
        make_stock(boot_timeout=0.01).start(replace(SPEC, timeout=0.01))
    assert left_of_this_run(engine) == []


def test_without_virtualisation_nothing_is_started_unless_emulation_is_allowed(
    make_stock: Callable[..., StockDockerProvider], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker_stock, "why_no_kvm", lambda: "there is no /dev/kvm here")
    provider = make_stock(emulate=None)
    with pytest.raises(DesktopStartError, match=r"^there is no /dev/kvm here; or set ROGUE_VM_EMULATION=1"):
        provider.start(SPEC)
    assert [need.ready for need in provider.readiness() if need.name == "virtualisation"] == [False]
    monkeypatch.setenv("ROGUE_VM_EMULATION", "1")
    assert [need.ready for need in make_stock(emulate=None).readiness()] == [True] * len(provider.readiness())


def test_with_virtualisation_the_machine_gets_its_device(make_stock: Callable[..., StockDockerProvider]) -> None:
    options = make_stock(emulate=False)._options("id", SPEC)
    assert [device["PathOnHost"] for device in options["host_config"]["Devices"]] == ["/dev/kvm"]
    assert "KVM" not in options["environment"]


def test_an_engine_elsewhere_is_refused_because_its_ports_cannot_be_reached(
    make_stock: Callable[..., StockDockerProvider], monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = make_stock()
    monkeypatch.setenv("DOCKER_HOST", "tcp://engine.example:2376")
    with pytest.raises(ConfigError, match=r"DOCKER_HOST=tcp://engine.example:2376: .* only from the engine's"):
        provider.start(SPEC)


def test_a_disk_that_is_not_there_is_told_with_the_option(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--rogue-path-to-vm=.*no such file"):
        StockDockerProvider(vm_path=tmp_path / "none.qcow2")
    with pytest.raises(ConfigError, match=r"needs the disk of its machine: --rogue-path-to-vm="):
        StockDockerProvider(vm_path=None)


def test_it_is_a_provider(make_stock: Callable[..., StockDockerProvider]) -> None:
    assert isinstance(make_stock(), Provider)
