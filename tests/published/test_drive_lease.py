"""One episode at a time has the Drive, over all processes; whoever dies gives it back."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.errors import ConfigError, InfraError
from pytest_rogue.published.drive.lease import drive_of
from tests.published.google_checkout import DRIVE_FILE, REPOSITORY, desk_at, write_drive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOWHERE = "http://127.0.0.1:1"


@contextmanager
def another_process(checkout: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.published.lease_holder", str(checkout)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "mine\n"
        yield process
        process.kill()


def test_an_episode_waits_in_vain_while_another_process_has_the_drive(tmp_path: Path) -> None:
    write_drive(tmp_path, NOWHERE)
    desk = desk_at(tmp_path)
    with (
        another_process(tmp_path),
        pytest.raises(InfraError, match=r"have had the Google Drive of .* for 0 s: it is one"),
    ):
        drive_of(desk, DRIVE_FILE, patience=0)


def test_the_drive_comes_back_when_the_other_episode_is_over(tmp_path: Path) -> None:
    write_drive(tmp_path, NOWHERE)
    desk = desk_at(tmp_path)
    with another_process(tmp_path) as other:
        assert other.stdin is not None
        other.stdin.close()
        with desk.held:
            drive_of(desk, DRIVE_FILE)


def test_the_drive_comes_back_when_the_other_process_is_killed(tmp_path: Path) -> None:
    write_drive(tmp_path, NOWHERE)
    desk = desk_at(tmp_path)
    with another_process(tmp_path) as other:
        other.kill()
        with desk.held:
            drive_of(desk, DRIVE_FILE)


def test_another_account_is_another_drive(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_drive(tmp_path / name, NOWHERE)
    desk = desk_at(tmp_path / "b")
    with another_process(tmp_path / "a"), desk.held:
        drive_of(desk, DRIVE_FILE, patience=0)


def test_all_parts_of_an_episode_have_the_same_drive(tmp_path: Path) -> None:
    write_drive(tmp_path, NOWHERE)
    desk = desk_at(tmp_path)
    with desk.held:
        assert drive_of(desk, DRIVE_FILE) is drive_of(desk, DRIVE_FILE)


def test_the_next_episode_of_a_process_has_the_drive_anew(tmp_path: Path) -> None:
    write_drive(tmp_path, NOWHERE)
    desks = desk_at(tmp_path), desk_at(tmp_path)
    with desks[0].held:
        first = drive_of(desks[0], DRIVE_FILE)
    with desks[1].held:
        assert drive_of(desks[1], DRIVE_FILE, patience=0) is not first


def test_a_drive_that_is_not_set_up_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Google Drive is not set up"):
        drive_of(desk_at(tmp_path), DRIVE_FILE)
