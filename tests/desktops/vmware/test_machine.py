"""A machine begins each life at its snapshot, and everything that `vmrun` may do wrong is told within a bound."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.desktops import vmware_machine
from pytest_rogue.desktops.guest_http import GuestHttp, NeverSent
from pytest_rogue.desktops.vmware import SNAPSHOT
from pytest_rogue.desktops.vmware_guest import WatchedHttp
from pytest_rogue.desktops.vmware_machine import Machine, require_snapshot
from pytest_rogue.desktops.vmware_vmrun import Vmrun, VmrunFault, VmrunHangs
from pytest_rogue.errors import DesktopStartError, DesktopsUnavailable
from tests.desktops.vmware.conftest import NOBODY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.desktops.vmware.conftest import Vmware

LONG = 60.0
SHORT = 1.0


@pytest.fixture
def vmx(vmware: Vmware) -> Path:
    return vmware.machine(address="127.0.0.1")


@pytest.fixture
def machine(vmx: Path) -> Machine:
    return Machine(vmx, SNAPSHOT, Vmrun(), headless=True)


@pytest.fixture
def hasty(vmx: Path) -> Machine:
    """A machine whose commands are not waited for long."""
    return Machine(vmx, SNAPSHOT, Vmrun(patience=SHORT), headless=True)


@pytest.fixture
def port() -> Iterator[int]:
    """A port of this machine at which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


# --- a life --------------------


def test_a_life_begins_with_the_disk_of_the_snapshot(machine: Machine) -> None:
    disk = machine.vmx.with_name("disk")
    disk.write_text("as an agent left it")

    machine.start_afresh()

    assert disk.read_text() == "as it should be"
    assert machine.is_up()


@pytest.mark.parametrize(("headless", "window"), [(True, "nogui"), (False, "gui")])
def test_it_has_a_window_unless_it_is_headless(vmware: Vmware, vmx: Path, headless: bool, window: str) -> None:
    Machine(vmx, SNAPSHOT, Vmrun(), headless=headless).start_afresh()

    assert vmware.calls("revertToSnapshot", "start") == [
        ["revertToSnapshot", str(vmx), SNAPSHOT],
        ["start", str(vmx), window],
    ]


def test_a_machine_that_runs_is_stopped_before_its_next_life(vmware: Vmware, machine: Machine) -> None:
    machine.start_afresh()

    machine.start_afresh()

    assert [call[0] for call in vmware.calls("stop", "revertToSnapshot", "start")][2:] == [
        "stop",
        "revertToSnapshot",
        "start",
    ]


def test_it_is_known_by_its_file_however_that_is_spelled(vmware: Vmware, vmx: Path) -> None:
    link = vmx.parent.with_name("another way")
    link.symlink_to(vmx.parent)
    vmware.run("start", vmx, "nogui")

    assert Machine(link / vmx.name, SNAPSHOT, Vmrun(), headless=True).is_up()


def test_on_a_mac_it_is_fusion_that_is_spoken_with(vmware: Vmware, vmx: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")

    Vmrun().running()

    assert '"fusion", "list"' in (vmware.state / "calls.jsonl").read_text().splitlines()[-1]


def test_nothing_in_a_name_is_read_by_a_shell(vmware: Vmware, tmp_path: Path) -> None:
    name = "$(touch owned); `touch owned` & it's"
    vmx = vmware.machine(name, snapshots=(name,))

    Machine(vmx, name, Vmrun(), headless=True).start_afresh()

    assert vmware.running() == [str(vmx)]
    assert not list(tmp_path.rglob("owned"))


# --- its end --------------------


def test_it_is_shut_down_in_order(vmware: Vmware, machine: Machine) -> None:
    machine.start_afresh()

    machine.stop()

    assert [call[2] for call in vmware.calls("stop")] == ["soft"]
    assert not machine.is_up()


@pytest.mark.parametrize("fault", ["does_nothing", "The VMware Tools are not running in the virtual machine", "hangs"])
def test_its_power_is_cut_where_it_does_not_shut_down(
    vmware: Vmware, machine: Machine, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vmware_machine, "SOFT_PATIENCE", SHORT)
    monkeypatch.setattr(vmware_machine, "_DOWN_PATIENCE", 0.0)
    machine.start_afresh()
    vmware.misbehave(stop=[fault])

    machine.stop()

    assert [call[2] for call in vmware.calls("stop")] == ["soft", "hard"]
    assert not machine.is_up()


def test_a_stop_that_did_it_and_hangs_has_done_it(
    vmware: Vmware, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vmware_machine, "SOFT_PATIENCE", SHORT)
    machine.start_afresh()
    vmware.misbehave(stop=["does_it_and_hangs"])

    machine.stop()

    assert not machine.is_up()


def test_a_machine_that_cannot_be_stopped_is_told(vmware: Vmware, machine: Machine) -> None:
    machine.start_afresh()
    vmware.misbehave(stop=["Insufficient permissions"] * 2)

    with pytest.raises(VmrunFault, match=r"^Ubuntu.vmx cannot be stopped: vmrun stop .*: Insufficient permissions$"):
        machine.stop()


# --- what goes wrong at the start --------------------


def test_a_command_that_hangs_is_ended_and_told(vmware: Vmware, hasty: Machine) -> None:
    vmware.misbehave(revertToSnapshot=["hangs"])

    with pytest.raises(VmrunHangs, match=r"^vmrun revertToSnapshot of Ubuntu.vmx did not come back within 1 s$"):
        hasty.start_afresh()


def test_what_vmrun_says_stands_in_the_error(vmware: Vmware, machine: Machine) -> None:
    vmware.misbehave(start=["Not enough physical memory is available"])

    with pytest.raises(
        VmrunFault,
        match=r"^vmrun start of Ubuntu.vmx failed \(exit code 255\): Not enough physical memory is available$",
    ):
        machine.start_afresh()


def test_a_start_that_starts_nothing_is_noticed(vmware: Vmware, machine: Machine) -> None:
    vmware.misbehave(start=["does_nothing"])

    with pytest.raises(VmrunFault, match="said nothing of a fault, but the machine does not run"):
        machine.start_afresh()


def test_a_locked_machine_is_told_with_its_lock(machine: Machine) -> None:
    lock = machine.vmx.with_name("Ubuntu.vmx.lck")
    lock.mkdir()

    with pytest.raises(VmrunFault, match=r"already in use; it is locked: close its window in VMware, or remove .*lck"):
        machine.start_afresh()


def test_a_list_that_is_none_is_told(vmware: Vmware, machine: Machine) -> None:
    vmware.misbehave(list=["does_nothing"])

    with pytest.raises(VmrunFault, match=r"^vmrun list answered what is not a list: nothing$"):
        machine.is_up()


def test_a_snapshot_that_is_missing_is_told_with_those_that_are_there(vmware: Vmware) -> None:
    vmx = vmware.machine(snapshots=("fresh", "with mail"))

    with pytest.raises(
        DesktopsUnavailable, match=r"no snapshot 'init_state' \(it has 'fresh', 'with mail'\): take one"
    ):
        require_snapshot(Vmrun(), vmx, SNAPSHOT)


def test_a_program_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    program = tmp_path / "vmrun"
    program.write_text("no program")

    with pytest.raises(VmrunFault, match="vmrun cannot be started: Permission denied"):
        Vmrun(str(program)).running()


def test_where_vmrun_is_not_installed_no_desktop_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(DesktopsUnavailable, match=r"^vmrun was not found: install VMware"):
        Vmrun().running()


# --- a guest in it that is lost --------------------


@pytest.mark.parametrize(("runs", "said"), [(True, "still runs"), (False, "no longer runs")])
def test_a_lost_guest_is_told_with_what_became_of_its_machine(machine: Machine, runs: bool, said: str) -> None:
    if runs:
        machine.start_afresh()
    http = WatchedHttp(GuestHttp(token="token", base_url="http://127.0.0.1:1", uds=None), machine)

    with pytest.raises(NeverSent, match=rf"does not accept connections .*; its machine Ubuntu.vmx {said}$"):
        http.exchange("GET", "/rogue/v1/info", timeout=LONG)

    http.close()


def test_a_lost_guest_is_told_also_where_vmrun_does_not_tell(vmware: Vmware, machine: Machine) -> None:
    vmware.misbehave(list=["Unable to connect to host"])
    http = WatchedHttp(GuestHttp(token="token", base_url="http://127.0.0.1:1", uds=None), machine)

    with pytest.raises(NeverSent, match=r"; vmrun does not tell whether its machine runs \(.*Unable to connect"):
        http.exchange("GET", "/rogue/v1/info", timeout=LONG)

    http.close()


# --- how it is reached --------------------


def test_it_is_reached_when_somebody_listens(machine: Machine, port: int) -> None:
    machine.start_afresh()

    assert machine.wait_reachable(port, LONG) == "127.0.0.1"


def test_an_address_that_comes_late_is_waited_for(vmware: Vmware, machine: Machine, port: int) -> None:
    machine.start_afresh()
    vmware.misbehave(getGuestIPAddress=["The VMware Tools are not running in the virtual machine", "unknown address"])

    assert machine.wait_reachable(port, LONG) == "127.0.0.1"
    assert len(vmware.calls("getGuestIPAddress")) == 3


def test_an_address_that_changes_is_asked_for_again(vmware: Vmware, vmx: Path, machine: Machine, port: int) -> None:
    right = vmx.read_text()
    vmx.write_text(right.replace("127.0.0.1", NOBODY))
    machine.start_afresh()
    over = threading.Event()

    def renew() -> None:
        while not vmware.calls("getGuestIPAddress"):
            if over.wait(0.05):
                return
        vmx.write_text(right)

    renewal = threading.Thread(target=renew)
    renewal.start()
    try:
        assert machine.wait_reachable(port, LONG) == "127.0.0.1"
    finally:
        over.set()
        renewal.join()


def test_an_address_of_the_sixth_version_is_fit_for_a_url(vmware: Vmware) -> None:
    vmx = vmware.machine("six", address="::1")
    vmware.run("start", vmx, "nogui")

    assert Vmrun().address(vmx) == "[::1]"


def test_a_machine_without_an_address_is_told_after_the_bound(vmware: Vmware) -> None:
    machine = Machine(vmware.machine("mute"), SNAPSHOT, Vmrun(), headless=True)
    machine.start_afresh()

    with pytest.raises(
        DesktopStartError, match=r"within 0.1 s: vmrun .* told no address: unknown; it needs VMware Tools"
    ):
        machine.wait_reachable(5000, 0.1)


def test_a_machine_at_which_nobody_listens_is_told_after_the_bound(vmware: Vmware) -> None:
    machine = Machine(vmware.machine("deaf", address=NOBODY), SNAPSHOT, Vmrun(), headless=True)
    machine.start_afresh()

    with pytest.raises(DesktopStartError, match=rf"within 0.1 s: nobody listens at port 5000 of {NOBODY}"):
        machine.wait_reachable(5000, 0.1)


def test_a_machine_that_ends_while_it_starts_is_not_waited_for(vmware: Vmware) -> None:
    machine = Machine(vmware.machine("short", address=NOBODY), SNAPSHOT, Vmrun(), headless=True)

    with pytest.raises(DesktopStartError, match=r"^short.vmx ended while it was starting: "):
        machine.wait_reachable(5000, LONG)
