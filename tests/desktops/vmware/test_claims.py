"""A machine belongs to one process at a time, and what a dead one had is known."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_rogue.desktops.vmware_claims import Claim, Claims
from pytest_rogue.errors import DesktopsUnavailable, InfraError

CHECKOUT = Path(__file__).parents[3]
VMX = Path("/machines/Ubuntu/Ubuntu.vmx")
CLAIM = Claim(str(VMX), is_clone=False, run="r1", owner="someone")
CLONE = Claim("/machines/Ubuntu/pytest-rogue-c1/Ubuntu-c1.vmx", is_clone=True, run="r1", owner="someone")

TAKE_AND_DIE = """
import os, pathlib, signal, sys
from pytest_rogue.desktops.vmware_claims import Claim, Claims
vmx = pathlib.Path("/machines/Ubuntu/Ubuntu.vmx")
Claims(pathlib.Path(sys.argv[1])).take(vmx, 0).write(Claim(str(vmx), False, "killed", "someone"))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def claims(tmp_path: Path) -> Claims:
    return Claims(tmp_path / "claims")


def test_a_machine_that_is_taken_is_refused_to_others(claims: Claims) -> None:
    held = claims.take(VMX, 0)

    with pytest.raises(
        DesktopsUnavailable, match=r"another process has used /machines/Ubuntu/Ubuntu.vmx for 0 s: wait"
    ):
        claims.take(VMX, 0)

    held.let_go()
    claims.take(VMX, 0).let_go()


def test_another_machine_can_be_taken_meanwhile(claims: Claims) -> None:
    held = claims.take(VMX, 0)

    claims.take(VMX.with_name("other.vmx"), 0).let_go()

    held.let_go()


def test_what_a_living_process_has_is_not_abandoned(claims: Claims) -> None:
    held = claims.take(VMX, 0)
    held.write(CLAIM)

    assert claims.abandoned() == []
    held.let_go()


def test_what_a_killed_process_had_is_abandoned(claims: Claims, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", TAKE_AND_DIE, tmp_path / "claims"], cwd=CHECKOUT, check=False)

    assert done.returncode == -9
    ((_, left),) = claims.abandoned()
    assert (left.vmx, left.run, left.is_clone) == (str(VMX), "killed", False)


def test_what_was_put_away_is_abandoned_no_longer(claims: Claims) -> None:
    held = claims.take(VMX, 0)
    held.write(CLAIM)
    held.let_go()
    ((id, _),) = claims.abandoned()  # noqa: A001 - as in `Leftover`

    with claims.adopted(id) as adopted:
        assert adopted is not None
        adopted.clear()

    assert claims.abandoned() == []


def test_nothing_stays_of_a_clone_that_is_gone(claims: Claims, tmp_path: Path) -> None:
    held = claims.take(Path(CLONE.vmx), 0)
    held.write(CLONE)
    held.clear()
    held.let_go()

    assert list((tmp_path / "claims").iterdir()) == []


def test_half_a_claim_is_none(claims: Claims, tmp_path: Path) -> None:
    held = claims.take(VMX, 0)
    held.write(CLAIM)
    held.let_go()
    (file,) = (tmp_path / "claims").iterdir()
    file.write_bytes(file.read_bytes()[:20])

    assert claims.abandoned() == []


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")

    with pytest.raises(InfraError, match=r"cannot be written to .*: free some space or set XDG_STATE_HOME"):
        Claims(tmp_path / "file" / "claims").take(VMX, 0)
