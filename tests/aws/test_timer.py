"""The timer inside an instance: set by user data, else by sudo, else there is no desktop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rogue.desktops.aws_tags import in_minutes
from pytest_rogue.desktops.aws_ttl import MARK, require_timer
from pytest_rogue.desktops.guest_client import GuestClient
from pytest_rogue.desktops.guest_types import CommandResult
from pytest_rogue.desktops.password import PUBLIC, VARIABLE
from pytest_rogue.errors import DesktopStartError, GuestFileMissing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import PurePosixPath


class Machine(GuestClient):
    """What the timer needs of a guest: one file, and `sudo`, which takes one password.

    No real one is asked: a timer that it set would switch off the machine that runs the tests.
    """

    def __init__(self, *, password: str = "", booted_with_user_data: bool = False) -> None:
        self.files = {MARK: b"2030\n"} if booted_with_user_data else {}
        self.ran: list[tuple[tuple[str, ...], str]] = []
        self._password = password

    def read_file(self, path: str | PurePosixPath) -> bytes:
        if str(path) not in self.files:
            raise GuestFileMissing(str(path))
        return self.files[str(path)]

    def run(self, command: Sequence[str], timeout: float = 30.0, input: str = "") -> CommandResult:  # noqa: A002
        self.ran.append((tuple(command), input))
        if input != f"{self._password}\n":
            return CommandResult("", "sorry", 1)
        self.files[MARK] = b"2030\n"
        return CommandResult("", "", 0)


def test_a_timer_that_user_data_have_set_is_left_alone() -> None:
    machine = Machine(booted_with_user_data=True)

    require_timer(machine, in_minutes(60))

    assert machine.ran == []


def test_it_is_set_by_sudo_where_the_image_took_no_user_data() -> None:
    machine = Machine(password=PUBLIC["aws"])

    require_timer(machine, in_minutes(60))

    ((command, _),) = machine.ran
    assert command[:6] == ("sudo", "-S", "-p", "", "sh", "-c")
    assert "systemctl --force --force poweroff" in command[6]
    assert PUBLIC["aws"] not in " ".join(command)


def test_the_password_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "a-word-of-mine")
    machine = Machine(password="a-word-of-mine")

    require_timer(machine, in_minutes(60))

    assert MARK in machine.files


def test_there_is_no_desktop_where_no_timer_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "a-wrong-word")

    with pytest.raises(DesktopStartError, match=VARIABLE) as told:
        require_timer(Machine(password="another"), in_minutes(60))

    assert "a-wrong-word" not in str(told.value)
