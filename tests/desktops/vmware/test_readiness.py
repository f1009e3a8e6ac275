"""`pytest-rogue doctor` says what desktops in VMware need here, with the line that mends it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.cli import main
from pytest_rogue.desktops.vmware import SNAPSHOT
from pytest_rogue.desktops.vmware_readiness import vmware_readiness
from pytest_rogue.desktops.vmware_vmrun import Vmrun

if TYPE_CHECKING:
    from tests.desktops.vmware.conftest import Vmware


def asked(vmx: Path | None, vmrun: Vmrun | None = None) -> list[tuple[str, bool, str, str]]:
    needs = vmware_readiness(vmrun or Vmrun(), vmx, SNAPSHOT)
    return [(need.name, need.ready, need.found, need.fix) for need in needs]


def test_all_is_there(vmware: Vmware) -> None:
    vmx = vmware.machine()

    assert asked(vmx) == [
        ("vmrun", True, f"{vmware.program}; machines that run: 0", ""),
        ("virtual machine", True, str(vmx), ""),
        ("snapshot", True, "init_state", ""),
    ]


def test_vmrun_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    ((name, ready, found, fix),) = asked(None)

    assert (name, ready, found) == ("vmrun", False, "vmrun was not found")
    assert fix.startswith("install VMware Workstation Pro or Fusion")


def test_vmrun_hangs(vmware: Vmware) -> None:
    vmware.misbehave(list=["hangs"])

    (need,) = asked(None, Vmrun(question_patience=1))

    assert need == ("vmrun", False, "vmrun list did not come back within 1 s", "see docs/vmware-setup.md")


@pytest.mark.parametrize(("vmx", "found"), [(None, "none is named"), (Path("/no/X.vmx"), "there is no /no/X.vmx")])
def test_no_machine_is_named_or_it_is_not_there(vmware: Vmware, vmx: Path | None, found: str) -> None:
    assert asked(vmx)[1:] == [("virtual machine", False, found, "--rogue-path-to-vm=X.vmx")]


def test_the_snapshot_is_missing(vmware: Vmware) -> None:
    vmx = vmware.machine(snapshots=("fresh",))

    (*_, (name, ready, found, fix)) = asked(vmx)

    assert (name, ready) == ("snapshot", False)
    assert found == f"{vmx} has no snapshot 'init_state' (it has 'fresh')"
    assert fix.startswith("take one of the machine")


def test_the_doctor_asks_about_the_machine_of_the_environment(
    vmware: Vmware, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    vmx = vmware.machine(snapshots=("fresh",))
    monkeypatch.setenv("ROGUE_PATH_TO_VM", str(vmx))
    monkeypatch.setenv("ROGUE_VM_SNAPSHOT", "fresh")

    main(["doctor"])

    told = capsys.readouterr().out
    assert "desktop in VMware (--rogue-provider=vmware)" in told
    assert f"ok  virtual machine    {vmx}" in told
    assert "ok  snapshot           fresh" in told
