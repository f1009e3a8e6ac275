"""What a command says that did not do its work while a task was set up; the machine's answers are made here."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from pytest_rogue.desktops.guest_types import CommandResult
from pytest_rogue.errors import InfraError
from pytest_rogue.published.setup import set_up_published
from pytest_rogue.published.steps.commands import Execute
from pytest_rogue.published.sudo import prove_sudo
from pytest_rogue.published.task import PublishedTask, Scoring
from tests.published.desks import desk_with

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.published.protocol import Desk

STOPPED = CommandResult("", "", None, timed_out=True)
REFUSED = CommandResult("", "Sorry, try again.\nsudo: no password was provided\n", 1)


@dataclass
class Answers:
    """A guest that gives one answer, and notes what was asked."""

    answer: CommandResult
    asked: list[Any] = field(default_factory=list)

    def execute(self, command: object, *, shell: bool) -> CommandResult:
        self.asked.append(command)
        return self.answer

    def run(self, command: list[str], *, timeout: float, input: str) -> CommandResult:  # noqa: A002 - as the guest calls it
        self.asked.append((command, input))
        return self.answer


def desk_of(answer: CommandResult, folder: Path) -> tuple[Desk, Answers]:
    guest = Answers(answer)
    return replace(desk_with(cast("Any", guest), folder), password="p4ss word"), guest


def test_a_command_that_was_stopped_has_not_set_the_task_up(tmp_path: Path) -> None:
    desk, _ = desk_of(STOPPED, tmp_path)

    with pytest.raises(InfraError, match="apt-get update: it was stopped at its time limit"):
        Execute(command="apt-get update").apply(desk)


def test_a_command_that_was_stopped_once_the_agent_was_at_work_is_no_fault(tmp_path: Path) -> None:
    desk, guest = desk_of(STOPPED, tmp_path)

    Execute(command="./check").apply(replace(desk, agent_was_here=True))

    assert guest.asked == ["./check"]


def test_half_of_what_is_to_be_judged_is_a_fault(tmp_path: Path) -> None:
    desk, _ = desk_of(STOPPED, tmp_path)

    with pytest.raises(InfraError, match="time limit"):
        Execute(command="./check", stdout="out").apply(replace(desk, agent_was_here=True))


def test_a_password_that_sudo_refuses_ends_the_set_up_before_its_first_step(tmp_path: Path) -> None:
    desk, guest = desk_of(REFUSED, tmp_path)
    step = Execute(command="unzip extension.zip")
    task = PublishedTask(
        id="t", instruction="Do it.", steps=(step,), scoring=Scoring(), checkout=tmp_path, apps=("sudo",)
    )

    with pytest.raises(InfraError, match=r"Sorry, try again.*; give the right one as ROGUE_DESKTOP_PASSWORD"):
        set_up_published(task, desk)

    assert len(guest.asked) == 1


def test_sudo_is_given_the_password_where_nobody_sees_it(tmp_path: Path) -> None:
    desk, guest = desk_of(CommandResult("", "", 0), tmp_path)

    prove_sudo(desk)

    ((command, given),) = guest.asked
    assert given == "p4ss word\n"
    assert "p4ss word" not in command
