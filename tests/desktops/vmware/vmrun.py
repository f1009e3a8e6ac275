"""A stand-in for VMware's `vmrun`: its words, its answers, and machines that really are there (`machines.py`).

The folder VMRUN_STATE has what VMware would know: which machines run and which snapshots they have. `faults.json` there
holds faults by command, each a list of what the next calls do: `hangs`, `does_it_and_hangs`, `does_nothing`, `dies`
(done, and then the machine ends), empty, or the words of an error. `calls.jsonl` has every call.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.desktops.vmware.machines import Refused, machine_of

if TYPE_CHECKING:
    from collections.abc import Callable

STATE = Path(os.environ["VMRUN_STATE"])
FAULTS = frozenset({"hangs", "does_it_and_hangs", "does_nothing", "dies"})


class Vmware:
    """All machines: of each that runs by what it is known, and of each snapshot whether its machine ran."""

    def __init__(self) -> None:
        self._file = STATE / "machines.json"
        self._machines: dict[str, dict[str, Any]] = json.loads(self._file.read_text()) if self._file.exists() else {}

    def save(self) -> None:
        aside = self._file.with_suffix(".part")
        aside.write_text(json.dumps(self._machines))
        aside.replace(self._file)

    def machine(self, vmx: str) -> dict[str, Any]:
        if not Path(vmx).is_file():
            raise Refused(f"Cannot open VM: {vmx}, The virtual machine cannot be found")
        known = self._machines.setdefault(vmx, {"runs": "", "snapshots": {}, "at": ""})
        if Path(f"{vmx}.lck").exists() and not known["runs"]:
            raise Refused("The file is already in use")
        return known

    # --- what there is --------------------

    def list(self) -> str:
        running = []
        for vmx, known in self._machines.items():
            if known["runs"] and not machine_of(Path(vmx)).is_on(known["runs"]):
                self.switch_off(vmx)
            if known["runs"]:
                running.append(vmx)
        return "\n".join([f"Total running VMs: {len(running)}", *running])

    def list_snapshots(self, vmx: str) -> str:
        names = self.machine(vmx)["snapshots"]
        return "\n".join([f"Total snapshots: {len(names)}", *names])

    def get_guest_ip_address(self, vmx: str) -> str:
        known = self.machine(vmx)
        if not known["runs"]:
            raise Refused(f"The virtual machine is not powered on: {vmx}")
        return str(machine_of(Path(vmx)).address(known["runs"]))

    # --- on and off --------------------

    def start(self, vmx: str, window: str) -> str:
        assert window in ("gui", "nogui")
        known = self.machine(vmx)
        known["runs"] = machine_of(Path(vmx)).switch_on(known["at"])
        return ""

    def stop(self, vmx: str, how: str) -> str:
        assert how in ("soft", "hard")
        if not self.machine(vmx)["runs"]:
            raise Refused(f"The virtual machine is not powered on: {vmx}")
        self.switch_off(vmx)
        return ""

    def switch_off(self, vmx: str) -> None:
        known = self.machine(vmx)
        if known["runs"]:
            machine_of(Path(vmx)).switch_off(known["runs"])
        known |= {"runs": "", "at": ""}

    # --- snapshots and clones --------------------

    def snapshot(self, vmx: str, name: str) -> str:
        known = self.machine(vmx)
        machine_of(Path(vmx)).take_snapshot(name, running=bool(known["runs"]))
        known["snapshots"][name] = bool(known["runs"])
        return ""

    def revert_to_snapshot(self, vmx: str, name: str) -> str:
        known = self.machine(vmx)
        if name not in known["snapshots"]:
            raise Refused("The snapshot does not exist")
        self.switch_off(vmx)
        ran = known["snapshots"][name]
        machine_of(Path(vmx)).go_back(name, running=ran)
        known["at"] = name if ran else ""
        return ""

    def clone(self, vmx: str, copy: str, kind: str, snapshot: str, name: str) -> str:
        assert kind == "linked"
        known = self.machine(vmx)
        origin = snapshot.removeprefix("-snapshot=")
        if known["runs"] or known["snapshots"][origin]:
            raise Refused("The virtual machine should not be powered on. It is already running.")
        Path(copy).write_text(Path(vmx).read_text() + f'displayName = "{name.removeprefix("-cloneName=")}"\n')
        machine_of(Path(vmx)).copy_to(Path(copy).parent, origin)
        return ""

    def delete_vm(self, vmx: str) -> str:
        if self.machine(vmx)["runs"]:
            raise Refused("The virtual machine should not be powered on. It is already running.")
        del self._machines[vmx]
        for path in Path(vmx).parent.iterdir():
            path.unlink()
        return ""


COMMANDS: dict[str, Callable[..., str]] = {
    "list": Vmware.list,
    "listSnapshots": Vmware.list_snapshots,
    "getGuestIPAddress": Vmware.get_guest_ip_address,
    "start": Vmware.start,
    "stop": Vmware.stop,
    "snapshot": Vmware.snapshot,
    "revertToSnapshot": Vmware.revert_to_snapshot,
    "clone": Vmware.clone,
    "deleteVM": Vmware.delete_vm,
}


def next_fault(command: str) -> str:
    path = STATE / "faults.json"
    faults = json.loads(path.read_text()) if path.exists() else {}
    fault = str((faults.get(command) or [""]).pop(0))
    path.write_text(json.dumps(faults))
    return fault


def call(command: str, words: list[str], fault: str) -> str:
    """Do what is asked, as far as the fault lets it be done."""
    if fault and fault not in FAULTS:
        raise Refused(fault)
    if fault in ("hangs", "does_nothing"):
        return ""
    vmware = Vmware()
    said = COMMANDS[command](vmware, *words)
    if fault == "dies":
        vmware.switch_off(words[0])
    vmware.save()
    return said


def main(product: str, command: str, *words: str) -> int:
    with (STATE / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with (STATE / "calls.jsonl").open("a") as calls:
            calls.write(json.dumps([product, command, *words]) + "\n")
        fault = next_fault(command)
        try:
            said = call(command, list(words), fault)
        except Refused as reason:
            sys.stdout.write(f"Error: {reason}\n")
            return 255
    sys.stdout.write(f"{said}\n" if said else "")
    sys.stdout.flush()
    if fault in ("hangs", "does_it_and_hangs"):
        time.sleep(3600)
    return 0


if __name__ == "__main__":
    assert sys.argv[1] == "-T"
    raise SystemExit(main(*sys.argv[2:]))
