"""Can desktops run in VMware here? Every answer comes with the line that mends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.desktops.vmware_machine import require_snapshot
from pytest_rogue.desktops.vmware_vmrun import VmrunFault
from pytest_rogue.errors import DesktopsUnavailable
from pytest_rogue.readiness import Readiness

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_rogue.desktops.vmware_vmrun import Vmrun

_GUIDE = "see docs/vmware-setup.md"


def vmware_readiness(vmrun: Vmrun, vmx: Path | None, snapshot: str) -> Sequence[Readiness]:
    """Return what desktops in VMware need; what needs something that is missing to be tested is left out.

    Args:
        vmrun: the command.
        vmx: configuration file of the machine, None where none is named.
        snapshot: name of the snapshot that episodes begin at.
    """
    try:
        running = vmrun.running()
    except (VmrunFault, DesktopsUnavailable) as fault:
        return [_lacking("vmrun", fault)]
    needs = [Readiness("vmrun", ready=True, found=f"{vmrun.program}; machines that run: {len(running)}")]
    if vmx is None:
        return [
            *needs,
            Readiness("virtual machine", ready=False, found="none is named", fix="--rogue-path-to-vm=X.vmx"),
        ]
    if not vmx.is_file():
        missing = Readiness("virtual machine", ready=False, found=f"there is no {vmx}", fix="--rogue-path-to-vm=X.vmx")
        return [*needs, missing]
    needs.append(Readiness("virtual machine", ready=True, found=str(vmx)))
    try:
        require_snapshot(vmrun, vmx, snapshot)
    except (VmrunFault, DesktopsUnavailable) as fault:
        return [*needs, _lacking("snapshot", fault)]
    return [*needs, Readiness("snapshot", ready=True, found=snapshot)]


def _lacking(name: str, fault: Exception) -> Readiness:
    if isinstance(fault, VmrunFault):
        return Readiness(name, ready=False, found=str(fault), fix=_GUIDE)
    said, _, fix = str(fault).partition(": ")
    return Readiness(name, ready=False, found=said, fix=fix)
