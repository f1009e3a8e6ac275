"""What goes wrong while a desktop starts is told in a sentence, and nothing of it is left running."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.desktops.start import start_desktop
from pytest_rogue.desktops.vmware import VmwareProvider
from pytest_rogue.desktops.vmware_claims import Claims
from pytest_rogue.errors import ConfigError, DesktopStartError, DesktopsUnavailable
from tests.desktops.vmware.conftest import NOBODY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.desktops.vmware.conftest import Vmware

SPEC = DesktopSpec(timeout=0.1)


def test_a_machine_that_does_not_go_back_is_tried_again_once_and_then_told(
    vmware: Vmware, make_provider: Callable[..., VmwareProvider]
) -> None:
    vmware_machine = vmware.machine(address=NOBODY)
    vmware.misbehave(revertToSnapshot=["The file is already in use"] * 3)

    with pytest.raises(DesktopStartError, match=r"^vmrun revertToSnapshot of Ubuntu.vmx failed .* already in use$"):
        start_desktop(make_provider(vmware_machine), SPEC)

    assert len(vmware.calls("revertToSnapshot")) == 2
    assert vmware.running() == []


def test_a_machine_without_an_address_is_told_and_stopped(
    vmware: Vmware, make_provider: Callable[..., VmwareProvider]
) -> None:
    with pytest.raises(DesktopStartError, match="told no address: unknown"):
        make_provider(vmware.machine(), boot_timeout=0.1).start(SPEC)

    assert len(vmware.calls("start")) == 1
    assert vmware.running() == []


def test_a_start_that_did_it_and_hangs_leaves_nothing_running(
    vmware: Vmware, make_provider: Callable[..., VmwareProvider]
) -> None:
    vmware_machine = vmware.machine(address=NOBODY)
    vmware.misbehave(start=["does_it_and_hangs"])

    with pytest.raises(DesktopStartError, match=r"vmrun start of Ubuntu.vmx did not come back within 5 s"):
        make_provider(vmware_machine, patience=5.0).start(SPEC)

    assert vmware.running() == []


def test_a_machine_that_dies_at_once_is_told(vmware: Vmware, make_provider: Callable[..., VmwareProvider]) -> None:
    vmware_machine = vmware.machine(address=NOBODY)
    vmware.misbehave(start=["dies"])

    with pytest.raises(DesktopStartError, match="the machine does not run"):
        make_provider(vmware_machine).start(SPEC)


def test_a_machine_that_cannot_be_stopped_either_is_told_with_the_way_out(
    vmware: Vmware, make_provider: Callable[..., VmwareProvider]
) -> None:
    vmware_machine = vmware.machine()
    vmware.misbehave(stop=["Insufficient permissions"] * 2)

    with pytest.raises(DesktopStartError) as told:
        make_provider(vmware_machine, boot_timeout=0.1).start(SPEC)

    assert "`pytest-rogue gc --provider=vmware` stops it later" in "".join(told.value.__notes__)


def test_a_missing_snapshot_is_not_tried_again(vmware: Vmware, make_provider: Callable[..., VmwareProvider]) -> None:
    with pytest.raises(DesktopsUnavailable, match="has no snapshot 'init_state'"):
        start_desktop(make_provider(vmware.machine(snapshots=())), SPEC)

    assert len(vmware.calls("listSnapshots")) == 1


def test_a_machine_in_which_the_user_works_is_left_alone(
    vmware: Vmware, make_provider: Callable[..., VmwareProvider]
) -> None:
    vmx = vmware.machine()
    vmware.run("start", vmx, "gui")

    with pytest.raises(DesktopsUnavailable, match=r"runs already, and what is in it would be lost .*: shut it down$"):
        make_provider(vmx).start(SPEC)

    assert vmware.running() == [str(vmx)]


def test_a_machine_of_another_run_is_left_alone(vmware: Vmware, make_provider: Callable[..., VmwareProvider]) -> None:
    vmx = vmware.machine()
    held = Claims().take(vmx, 0)

    with pytest.raises(DesktopsUnavailable, match=r"another process has used .*Ubuntu.vmx for 0 s"):
        make_provider(vmx).start(SPEC)

    assert vmware.calls("revertToSnapshot", "start", "stop") == []
    held.let_go()


@pytest.mark.parametrize("shared", [False, True])
def test_nothing_is_claimed_any_more_after_the_end(
    vmware: Vmware, make_provider: Callable[..., VmwareProvider], shared: bool
) -> None:
    vmx = vmware.machine()
    provider = make_provider(vmx, shared=shared, boot_timeout=0.1)
    with pytest.raises(DesktopStartError):
        provider.start(SPEC)

    provider.close()
    provider.close()

    assert Claims().abandoned() == []
    assert sorted(path.name for path in vmx.parent.iterdir()) == ["Ubuntu.vmx", "disk", "disk-init_state"]


def test_a_wrong_path_is_told_with_the_option(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^--rogue-path-to-vm=.*none.vmx: there is no such file; name the machine"):
        VmwareProvider(vm_path=tmp_path / "none.vmx")
    with pytest.raises(ConfigError, match=r"needs a machine: --rogue-path-to-vm="):
        VmwareProvider(vm_path=None)


# --- clones --------------------


def test_a_worker_that_shares_a_machine_starts_a_clone_of_it(
    vmware: Vmware, make_provider: Callable[..., VmwareProvider]
) -> None:
    vmx = vmware.machine(address=NOBODY)
    with pytest.raises(DesktopStartError):
        make_provider(vmx, shared=True, boot_timeout=0.1).start(SPEC)

    (started,) = vmware.calls("start")
    assert started[1].startswith(f"{vmx.parent}/pytest-rogue-")
    assert [call[0] for call in vmware.calls("clone", "snapshot", "revertToSnapshot")][1:] == [
        "clone",
        "snapshot",
        "revertToSnapshot",
    ]


def test_a_clone_is_made_once_for_all_lives(vmware: Vmware, make_provider: Callable[..., VmwareProvider]) -> None:
    provider = make_provider(vmware.machine(), shared=True, boot_timeout=0.1)

    with pytest.raises(DesktopStartError):
        start_desktop(provider, SPEC)

    assert len(vmware.calls("clone")) == 1
    assert len(vmware.calls("start")) == 2


@pytest.mark.parametrize("how", ["it was on", "it is not allowed"])
def test_where_cloning_fails_no_desktop_can_be_made(
    vmware: Vmware, make_provider: Callable[..., VmwareProvider], how: str
) -> None:
    vmx = vmware.machine(snapshots=())
    vmware.run("start", vmx, "nogui")
    vmware.run("snapshot", vmx, "init_state")
    vmware.run("stop", vmx, "hard")
    if how == "it is not allowed":
        vmware.misbehave(clone=["This feature is not supported by this product edition"])

    with pytest.raises(DesktopsUnavailable, match=r"several workers share .*Ubuntu.vmx, and it cannot be cloned: .*"):
        start_desktop(make_provider(vmx, shared=True), SPEC)

    assert len(vmware.calls("clone")) == 1
    assert not list(vmx.parent.glob("pytest-rogue-*"))
    assert Claims().abandoned() == []


def test_a_clone_that_hangs_is_tried_again_and_leaves_nothing(
    vmware: Vmware, make_provider: Callable[..., VmwareProvider]
) -> None:
    vmx = vmware.machine()
    vmware.misbehave(clone=["hangs", "hangs"])

    with pytest.raises(DesktopStartError, match=r"vmrun clone of Ubuntu.vmx did not come back within 5 s"):
        start_desktop(make_provider(vmx, shared=True, patience=5.0), SPEC)

    assert len(vmware.calls("clone")) == 2
    assert not list(vmx.parent.glob("pytest-rogue-*"))


def test_a_machine_that_runs_is_not_cloned(vmware: Vmware, make_provider: Callable[..., VmwareProvider]) -> None:
    vmx = vmware.machine()
    vmware.run("start", vmx, "gui")

    with pytest.raises(DesktopsUnavailable, match="VMware clones only a machine that is off: shut it down"):
        make_provider(vmx, shared=True).start(SPEC)

    assert vmware.running() == [str(vmx)]


def test_what_the_claim_says_tells_who_has_the_clone(
    vmware: Vmware, make_provider: Callable[..., VmwareProvider], tmp_path: Path
) -> None:
    provider = make_provider(vmware.machine(), shared=True, boot_timeout=0.1)
    with pytest.raises(DesktopStartError):
        provider.start(SPEC)

    said = [json.loads(text) for path in tmp_path.rglob("state/**/*.json") if (text := path.read_text())]

    assert [(claim["is_clone"], claim["run"]) for claim in said] == [(True, "r1")]
