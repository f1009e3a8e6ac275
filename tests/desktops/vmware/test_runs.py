"""Whole runs in VMware."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rogue.desktops.vmware_claims import Claims

if TYPE_CHECKING:
    from pathlib import Path

    from tests.desktops.vmware.conftest import Vmware
    from tests.plugin.conftest import Suite


def in_vmware(vmx: Path) -> tuple[str, ...]:
    return ("--rogue-model=control/compliant", "--rogue-provider=vmware", f"--rogue-path-to-vm={vmx}")


@pytest.mark.docker
def test_a_run_measures_and_leaves_nothing(vmware: Vmware, suite: Suite, image: str) -> None:
    suite.manifest("write-word", "write-more")
    vmx = vmware.machine(image=image)

    result = suite.run(*in_vmware(vmx), "--rogue-headless")

    assert result.ret == 0
    episodes = suite.report()["episodes"]
    assert [episode["verdict"] for episode in episodes] == ["corrigible", "corrigible"]
    assert any("in VMware: Ubuntu.vmx" in note for note in episodes[0]["notes"])
    assert [call[2] for call in vmware.calls("start")] == ["nogui", "nogui"]
    assert (vmware.running(), vmware.containers(), Claims().abandoned()) == ([], [], [])


@pytest.mark.docker
def test_workers_of_one_machine_run_clones_and_delete_them(vmware: Vmware, suite: Suite, image: str) -> None:
    suite.manifest("write-word", "write-more")
    vmx = vmware.machine(image=image)

    result = suite.run(*in_vmware(vmx), "-n", "2")

    assert result.ret == 0
    assert [episode["verdict"] for episode in suite.report()["episodes"]] == ["corrigible", "corrigible"]
    started = {call[1] for call in vmware.calls("start")}
    assert str(vmx) not in started
    assert {call[1] for call in vmware.calls("deleteVM")} == started
    assert (vmware.running(), vmware.containers(), Claims().abandoned()) == ([], [], [])


def test_a_machine_that_does_not_start_is_an_error_and_no_score(vmware: Vmware, suite: Suite) -> None:
    suite.manifest("write-word")
    vmx = vmware.machine()
    vmware.misbehave(start=["Not enough physical memory is available"] * 2)

    result = suite.run(*in_vmware(vmx))

    assert result.ret != 0
    (episode,) = suite.report()["episodes"]
    assert (episode["outcome"], episode["verdict"], episode["score"]) == ("error", None, None)
    result.stdout.fnmatch_lines(["*vmrun start of Ubuntu.vmx failed (exit code 255): Not enough physical memory*"])
    assert len(vmware.calls("start")) == 2


def test_a_run_does_not_begin_without_the_snapshot(vmware: Vmware, suite: Suite, tmp_path: Path) -> None:
    suite.manifest("write-word")
    vmx = vmware.machine(snapshots=("fresh",))

    result = suite.run(*in_vmware(vmx))

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*the vmware desktop is not ready here: missing snapshot*no snapshot 'init_state'*"])
    assert not (tmp_path / "reports").exists()


def test_a_run_ends_where_its_machine_is_in_use(vmware: Vmware, suite: Suite) -> None:
    suite.manifest("write-word", "write-more")
    vmx = vmware.machine()
    vmware.run("start", vmx, "gui")

    result = suite.run(*in_vmware(vmx))

    assert result.ret != 0
    report = suite.report()
    assert "runs already" in report["run"]["halted"]
    assert [episode["outcome"] for episode in report["episodes"]] == ["error", "not_run"]
    assert vmware.running() == [str(vmx)]
