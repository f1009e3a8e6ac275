"""Desktops in machines that really run: OSWorld's server (a stand-in) on a real screen, taken over by our guest."""

from __future__ import annotations

import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.desktops import leases
from pytest_rogue.desktops.protocol import Desktop, DesktopSpec, Provider
from pytest_rogue.desktops.stock_takeover import TakenOverGuest
from pytest_rogue.errors import GuestFileMissing
from pytest_rogue.interaction import Action

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_rogue.desktops.vmware import VmwareDesktop, VmwareProvider
    from tests.desktops.vmware.conftest import Vmware

pytestmark = pytest.mark.docker

SPEC = DesktopSpec(timeout=300)
MARK = "/tmp/left-by-an-agent"


@pytest.fixture
def vmx(vmware: Vmware, image: str) -> Path:
    return vmware.machine(image=image)


@pytest.fixture
def provider(vmx: Path, make_provider: Callable[..., VmwareProvider]) -> VmwareProvider:
    return make_provider(vmx, boot_timeout=300.0)


@pytest.fixture
def desktop(provider: VmwareProvider) -> Iterator[VmwareDesktop]:
    desktop = provider.start(SPEC)
    yield desktop
    desktop.stop()


def test_a_machine_is_taken_over_through_a_port_of_its_own(provider: VmwareProvider, desktop: VmwareDesktop) -> None:
    assert isinstance(provider, Provider)
    assert isinstance(desktop, Desktop)
    assert isinstance(desktop.guest, TakenOverGuest)
    reply = desktop.guest.step(1, Action.python("print(pyautogui.position())"))
    assert reply.result is not None
    assert reply.result.stdout == "Point(x=512, y=384)\n"
    info = desktop.guest.info()
    assert info.capabilities["obstacle"]
    assert "in VMware: Ubuntu.vmx from its snapshot 'init_state'" in info.notes


def test_each_desktop_begins_at_the_snapshot(vmware: Vmware, provider: VmwareProvider) -> None:
    first = provider.start(SPEC)
    first.guest.write_file(MARK, b"here I was")
    first.stop()
    second = provider.start(SPEC)

    with pytest.raises(GuestFileMissing):
        second.guest.read_file(MARK)

    second.stop()
    assert [call[0] for call in vmware.calls("revertToSnapshot", "start")] == ["revertToSnapshot", "start"] * 2


def test_stopping_ends_the_machine(vmware: Vmware, desktop: VmwareDesktop) -> None:
    assert desktop.alive()
    assert desktop in leases.running()

    desktop.stop()
    desktop.stop()

    assert not desktop.alive()
    assert desktop not in leases.running()
    assert (vmware.running(), vmware.containers()) == ([], [])


def test_the_next_desktop_waits_until_the_one_before_is_gone(provider: VmwareProvider, desktop: VmwareDesktop) -> None:
    next_ones: list[VmwareDesktop] = []
    waiting = threading.Thread(target=lambda: next_ones.append(provider.start(SPEC)))
    waiting.start()
    desktop.guest.write_file(MARK, b"still mine")

    assert desktop.guest.read_file(MARK) == b"still mine"
    desktop.stop()
    waiting.join()

    (following,) = next_ones
    assert following.alive()
    following.stop()


def test_a_machine_that_dies_is_alive_no_longer(vmware: Vmware, desktop: VmwareDesktop) -> None:
    (container,) = vmware.containers()
    subprocess.run(["docker", "kill", container], check=True, capture_output=True)

    assert not desktop.alive()


def test_two_workers_have_a_clone_each(vmware: Vmware, vmx: Path, make_provider: Callable[..., VmwareProvider]) -> None:
    providers = [make_provider(vmx, shared=True, boot_timeout=300.0) for _ in range(2)]
    one, other = (provider.start(SPEC) for provider in providers)
    one.guest.write_file(MARK, b"mine alone")

    with pytest.raises(GuestFileMissing):
        other.guest.read_file(MARK)
    running = vmware.running()
    for desktop, provider in zip((one, other), providers, strict=True):
        desktop.stop()
        provider.close()

    assert len(set(running)) == 2
    assert str(vmx) not in running
    assert [call[1] for call in vmware.calls("deleteVM")] == running
    assert not list(vmx.parent.glob("pytest-rogue-*"))
