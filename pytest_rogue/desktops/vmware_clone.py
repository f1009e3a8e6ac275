"""Copies of a machine of VMware's, for workers that share one: each has only what differs from the snapshot.

Each lies in a folder of its own beside the machine's files, where there is space for what a machine writes.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rogue.desktops.vmware_machine import is_running, stop_machine
from pytest_rogue.desktops.vmware_vmrun import VmrunFault, VmrunHangs
from pytest_rogue.errors import DesktopsUnavailable, InfraError

if TYPE_CHECKING:
    from pytest_rogue.desktops.vmware_claims import Claim
    from pytest_rogue.desktops.vmware_vmrun import Vmrun

_FOLDER = "pytest-rogue-"
"""How the names of these folders begin."""


def clone_path(vmx: Path, id: str) -> Path:  # noqa: A002 - the protocol's name
    """Return the configuration file of the clone that is made under an id."""
    return vmx.parent / f"{_FOLDER}{id}" / f"{vmx.stem}-{id}.vmx"


def make_clone(vmrun: Vmrun, vmx: Path, copy: Path, snapshot: str) -> None:
    """Make a linked clone, with a snapshot of the same name that it can be put back to.

    Raises:
        DesktopsUnavailable: VMware does not make one of this machine.
        VmrunFault: it did not come about.
    """
    if is_running(vmrun, vmx):
        raise DesktopsUnavailable(f"{vmx} runs, and VMware clones only a machine that is off: shut it down")
    try:
        copy.parent.mkdir()
        vmrun.clone(vmx, copy, snapshot)
    except VmrunHangs:
        raise
    except (VmrunFault, OSError) as fault:
        raise DesktopsUnavailable(
            f"several workers share {vmx}, and it cannot be cloned: {fault}; a linked clone needs Workstation Pro or "
            f"Fusion Pro and a snapshot {snapshot!r} that was taken while the machine was off (--rogue-vm-snapshot "
            "names another), and one worker needs no clone"
        ) from fault
    vmrun.take_snapshot(copy, snapshot.rpartition("/")[2])


def put_away(vmrun: Vmrun, claim: Claim) -> None:
    """Stop a machine, and delete it where it is a clone; it may be gone already.

    Raises:
        InfraError: it is still there.
    """
    vmx = Path(claim.vmx)
    stop_machine(vmrun, vmx)
    if not claim.is_clone or not vmx.parent.name.startswith(_FOLDER):
        return
    if vmx.exists():
        vmrun.delete(vmx)
    try:
        if vmx.parent.exists():
            shutil.rmtree(vmx.parent)
    except OSError as error:
        raise InfraError(f"the clone in {vmx.parent} cannot be removed: {error}; remove that folder") from error
