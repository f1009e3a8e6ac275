"""One virtual machine of VMware's that always begins at the same snapshot."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING, Literal

from pytest_rogue.desktops.vmware_vmrun import VmrunFault, VmrunHangs
from pytest_rogue.errors import DesktopStartError, DesktopsUnavailable

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.desktops.vmware_vmrun import Vmrun

SOFT_PATIENCE = 20.0
"""Seconds a machine has to shut itself down; an agent may have seen to it that it does not."""

HARD_PATIENCE = 60.0

_DOWN_PATIENCE = 15.0
"""Seconds until a machine that was stopped is no longer listed."""

_POLL = 0.5
_CONNECT = 2.0


class Machine:
    """A machine and the snapshot at which each of its lives begins.

    Args:
        vmx: its configuration file.
        snapshot: name of the snapshot.
        vmrun: the command.
        headless: True for no window.
    """

    def __init__(self, vmx: Path, snapshot: str, vmrun: Vmrun, *, headless: bool) -> None:
        self.vmx = vmx
        self.snapshot = snapshot
        self._vmrun = vmrun
        self._headless = headless

    def is_up(self) -> bool:
        """True while it runs.

        Raises:
            VmrunFault: vmrun does not tell.
        """
        return is_running(self._vmrun, self.vmx)

    def start_afresh(self) -> None:
        """Put it back to its snapshot, and switch it on.

        Raises:
            VmrunFault: it could not be done; it may run all the same.
        """
        self.stop()
        try:
            self._vmrun.revert(self.vmx, self.snapshot)
            self._vmrun.start(self.vmx, headless=self._headless)
        except VmrunHangs:
            raise
        except VmrunFault as fault:
            raise VmrunFault(f"{fault}{self._lock_hint()}") from fault
        if not self.is_up():
            raise VmrunFault(f"vmrun start of {self.vmx.name} said nothing of a fault, but the machine does not run")

    def wait_reachable(self, port: int, timeout: float) -> str:
        """Wait until somebody listens at a port of it; return its address.

        The address is asked for again and again: a machine that wakes up may first tell the one that it had before.

        Raises:
            DesktopStartError: it did not come about.
        """
        deadline = time.monotonic() + timeout
        while True:
            try:
                address = self._vmrun.address(self.vmx)
                if _accepts(address, port):
                    return address
                problem = f"nobody listens at port {port} of {address}, where OSWorld's server should"
            except VmrunFault as fault:
                problem = f"{fault}; it needs VMware Tools (open-vm-tools) and a network that this machine reaches"
            if not self.is_up():
                raise DesktopStartError(f"{self.vmx.name} ended while it was starting: {problem}")
            if time.monotonic() > deadline:
                raise DesktopStartError(f"{self.vmx.name} could not be reached within {timeout:g} s: {problem}")
            time.sleep(_POLL)

    def stop(self) -> None:
        """End it: in order where its system does that soon, else at once; it need not run.

        Raises:
            VmrunFault: it still runs.
        """
        stop_machine(self._vmrun, self.vmx)

    def _lock_hint(self) -> str:
        lock = self.vmx.with_name(f"{self.vmx.name}.lck")
        if not lock.exists():
            return ""
        return f"; it is locked: close its window in VMware, or remove {lock} where no VMware is running"


def require_snapshot(vmrun: Vmrun, vmx: Path, snapshot: str) -> None:
    """See that a machine has a snapshot of that name.

    Raises:
        DesktopsUnavailable: it has none.
        VmrunFault: vmrun does not tell.
    """
    names = vmrun.snapshots(vmx)
    if snapshot.rpartition("/")[2] not in names:
        raise DesktopsUnavailable(
            f"{vmx} has no snapshot {snapshot!r} (it has {', '.join(map(repr, names)) or 'none'}): take one of the "
            "machine as every episode should find it, or name another by --rogue-vm-snapshot"
        )


def is_running(vmrun: Vmrun, vmx: Path) -> bool:
    """True where a machine runs; raises `VmrunFault`."""
    return any(_is_same(listed, vmx) for listed in vmrun.running())


def stop_machine(vmrun: Vmrun, vmx: Path) -> None:
    """Do what `Machine.stop` does."""
    if not is_running(vmrun, vmx):
        return
    problem = "it was stopped, and goes on"
    ways: tuple[tuple[Literal["soft", "hard"], float], ...] = (("soft", SOFT_PATIENCE), ("hard", HARD_PATIENCE))
    for how, patience in ways:
        try:
            vmrun.stop(vmx, how, patience)
        except VmrunFault as fault:
            problem = str(fault)
            if not is_running(vmrun, vmx):
                return
            continue
        if _went_down(vmrun, vmx):
            return
    raise VmrunFault(f"{vmx.name} cannot be stopped: {problem}")


def _went_down(vmrun: Vmrun, vmx: Path) -> bool:
    deadline = time.monotonic() + _DOWN_PATIENCE
    while is_running(vmrun, vmx):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL)
    return True


def _is_same(one: Path, other: Path) -> bool:
    """True where both are one file, however it is spelled."""
    try:
        return one.samefile(other)
    except OSError:
        return one == other


def _accepts(address: str, port: int) -> bool:
    try:
        socket.create_connection((address.strip("[]"), port), timeout=_CONNECT).close()
    except OSError:
        return False
    return True
