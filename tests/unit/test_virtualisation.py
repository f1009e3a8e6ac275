"""Whether machines can run at full speed is asked of the device, and every answer says what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.desktops.virtualisation import why_no_kvm

if TYPE_CHECKING:
    from pathlib import Path


def test_a_missing_device_is_told_with_its_cure(tmp_path: Path) -> None:
    assert "turn on virtualisation in the firmware" in why_no_kvm(str(tmp_path / "kvm"))


def test_something_that_only_has_the_name_is_not_taken_for_it(tmp_path: Path) -> None:
    (tmp_path / "kvm").touch()
    assert "does not answer" in why_no_kvm(str(tmp_path / "kvm"))


def test_a_device_that_may_not_be_opened_is_told_with_its_cure(tmp_path: Path) -> None:
    assert "add this user to its group" in why_no_kvm(str(tmp_path))
