"""What killed processes left in VMware is found and removed, and nothing that somebody still needs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.cli import main
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.desktops.reaper import LeavesThings, give_up_dead_leases, remove_leftovers
from pytest_rogue.desktops.vmware_claims import Claims
from pytest_rogue.desktops.vmware_leftovers import VmwareHost
from pytest_rogue.errors import DesktopStartError, InfraError
from pytest_rogue.records.leases import LeaseBook

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.desktops.vmware import VmwareProvider
    from tests.desktops.vmware.conftest import Vmware

CHECKOUT = Path(__file__).parents[3]

START_AND_WAIT = """
import sys
from pytest_rogue.desktops.owner import Owner
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.desktops.vmware import VmwareProvider
from pytest_rogue.records.leases import LeaseBook
from pathlib import Path
vmx, shared, book = sys.argv[1:]
LeaseBook(Path(book), limit=1, spares=0).take("lease", str(Owner.this_process()), "vmware", "episode")
VmwareProvider(vm_path=vmx, run_id="killed", shared=shared == "shared").start(DesktopSpec(timeout=3600))
"""
"""A program that waits for a desktop which never comes."""


@pytest.fixture
def kill_a_run(vmware: Vmware, tmp_path: Path) -> Callable[..., LeaseBook]:
    """Kill a process that has started a machine and waits for it; return the book of its leases."""

    def kill(vmx: Path, *, shared: bool) -> LeaseBook:
        book = tmp_path / "run.sqlite"
        words = [str(vmx), "shared" if shared else "alone", str(book)]
        process = subprocess.Popen([sys.executable, "-c", START_AND_WAIT, *words], cwd=CHECKOUT)
        try:
            deadline = time.monotonic() + 300
            while not vmware.calls("getGuestIPAddress"):
                assert time.monotonic() < deadline
                assert process.poll() is None
                time.sleep(0.1)
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        return LeaseBook(book, limit=1, spares=0)

    return kill


def test_a_killed_runs_clone_is_deleted(vmware: Vmware, kill_a_run: Callable[..., LeaseBook]) -> None:
    vmx = vmware.machine()
    kill_a_run(vmx, shared=True)
    (clone,) = vmware.running()

    (removed,) = remove_leftovers([VmwareHost()], dry_run=False)

    assert (removed.kind, removed.run, removed.state) == ("clone", "killed", clone)
    assert vmware.running() == []
    assert [call[1] for call in vmware.calls("deleteVM")] == [clone]
    assert not list(vmx.parent.glob("pytest-rogue-*"))


def test_the_users_own_machine_is_stopped_and_stays(vmware: Vmware, kill_a_run: Callable[..., LeaseBook]) -> None:
    vmx = vmware.machine()
    kill_a_run(vmx, shared=False)

    (removed,) = remove_leftovers([VmwareHost()], dry_run=False)

    assert (removed.kind, removed.state) == ("machine", str(vmx))
    assert vmware.running() == []
    assert vmware.calls("deleteVM") == []
    assert vmx.is_file()


def test_the_lease_of_a_killed_process_is_given_up_with_its_machine(
    vmware: Vmware, kill_a_run: Callable[..., LeaseBook], make_provider: Callable[..., VmwareProvider]
) -> None:
    vmx = vmware.machine()
    book = kill_a_run(vmx, shared=False)
    before = [lease.provider for lease in book.taken()]

    given_up = give_up_dead_leases(book, make_provider(vmx))

    assert (before, given_up) == (["vmware"], 1)
    assert book.taken() == ()
    assert vmware.running() == []


def test_a_later_run_takes_over_what_a_killed_one_left_running(
    vmware: Vmware, kill_a_run: Callable[..., LeaseBook], make_provider: Callable[..., VmwareProvider]
) -> None:
    vmx = vmware.machine()
    kill_a_run(vmx, shared=False)

    with pytest.raises(DesktopStartError, match="told no address"):
        make_provider(vmx, boot_timeout=0.1).start(DesktopSpec(timeout=0.1))

    assert len(vmware.calls("revertToSnapshot")) == 2


def test_what_a_living_process_has_is_left_alone(vmware: Vmware, make_provider: Callable[..., VmwareProvider]) -> None:
    vmx = vmware.machine()
    provider = make_provider(vmx, boot_timeout=0.1)
    assert isinstance(provider, LeavesThings)
    with pytest.raises(DesktopStartError):
        provider.start(DesktopSpec(timeout=0.1))
    vmware.run("start", vmx, "nogui")

    assert remove_leftovers([VmwareHost()], dry_run=False) == ()
    assert vmware.running() == [str(vmx)]


def test_what_another_run_left_is_not_this_runs(vmware: Vmware, kill_a_run: Callable[..., LeaseBook]) -> None:
    kill_a_run(vmware.machine(), shared=False)

    assert remove_leftovers([VmwareHost()], "another", dry_run=False) == ()
    assert [left.run for left in remove_leftovers([VmwareHost()], "killed", dry_run=False)] == ["killed"]


def test_what_cannot_be_stopped_stays_known(vmware: Vmware, kill_a_run: Callable[..., LeaseBook]) -> None:
    kill_a_run(vmware.machine(), shared=False)
    vmware.misbehave(stop=["Insufficient permissions"] * 2)

    with pytest.raises(InfraError, match=r"1 leftovers could not be removed: .*Insufficient permissions"):
        remove_leftovers([VmwareHost()], dry_run=False)

    assert len(Claims().abandoned()) == 1


def test_gc_shows_and_removes_what_is_left(
    vmware: Vmware, kill_a_run: Callable[..., LeaseBook], capsys: pytest.CaptureFixture[str]
) -> None:
    kill_a_run(vmware.machine(), shared=True)
    (clone,) = vmware.running()

    assert main(["gc", "--provider=vmware"]) == 0
    shown = capsys.readouterr().out
    assert main(["gc", "--provider=vmware", "--remove"]) == 0
    removed = capsys.readouterr().out
    assert main(["gc", "--provider=vmware"]) == 0
    after = capsys.readouterr().out

    assert "left: clone" in shown
    assert "of run killed, made by process" in shown
    assert f"({clone})" in shown
    assert "pytest-rogue gc --provider=vmware --remove removes it" in shown
    assert "removed: clone" in removed
    assert after == "nothing is left behind\n"
