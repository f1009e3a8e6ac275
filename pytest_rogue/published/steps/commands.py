"""The step that runs a command to its end."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, model_validator

from pytest_rogue.errors import InfraError
from pytest_rogue.published.commands import HasCommand, in_words
from pytest_rogue.published.guest_paths import FileName
from pytest_rogue.published.protocol import Desk, Step
from pytest_rogue.published.waiting import wait_for

if TYPE_CHECKING:
    from pytest_rogue.desktops.guest_types import CommandResult

UNTIL_SECONDS = 120.0

_EQUAL, _DIFFERENT = 0, 1
"""How `diff` ends where it could compare."""

_LOG = logging.getLogger(__name__)


class Until(BaseModel):
    """What has to come of a command before it is not run again; one of these is enough."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    returncode: int | None = None
    stdout: str | None = None
    stderr: str | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Until:
        if self.returncode is None and self.stdout is None and self.stderr is None:
            raise ValueError("it names at least one of returncode, stdout and stderr")
        return self

    def holds(self, result: CommandResult) -> bool:
        """Tell whether it has come."""
        return (
            (self.returncode is not None and result.exit_code == self.returncode)
            or (self.stdout is not None and self.stdout in result.stdout)
            or (self.stderr is not None and self.stderr in result.stderr)
        )


class Execute(HasCommand, Step):
    """A command runs to its end, two minutes at most.

    Its exit code decides nothing, since tasks end programs that may not run; it is logged. One that does not end while
    the desktop is set up is a fault: what the task begins with is not there. `stdout` is the name under which a
    `cache_file` finds what it printed. A `diff` that could not compare says so on stderr alone; the published runs take
    its empty output for that of two equal files.
    """

    type: ClassVar[str] = "execute"
    aliases: ClassVar[tuple[str, ...]] = ("command",)

    stdout: FileName | None = None
    until: Until | None = None

    def apply(self, desk: Desk) -> None:
        """Run it; with `until` again and again, for two minutes at most."""
        command = filled_in(self.command, desk)
        result = self._run(desk, command) if self.until is None else self._repeat(desk, command, self.until)
        if result.timed_out and (self.stdout or not desk.agent_was_here):
            raise InfraError(f"{in_words(self.command)}: it was stopped at its time limit, before it had done its work")
        if self.stdout:
            told = desk.convention == "upstream" or not self._compared_nothing(result)
            desk.kept[self.stdout] = result.stdout.encode() if told else None

    def _compared_nothing(self, result: CommandResult) -> bool:
        return self.command[0] == "diff" and result.exit_code not in {_EQUAL, _DIFFERENT}

    def _run(self, desk: Desk, command: str | tuple[str, ...]) -> CommandResult:
        result = desk.guest.execute(command, shell=self.shell)
        if result.exit_code != 0:
            ended = "was stopped at its time limit" if result.timed_out else f"ended with {result.exit_code}"
            said = result.stderr.replace(desk.password, "...")[-500:].strip()
            _LOG.info("%s: %s: %s", in_words(self.command), ended, said)
        return result

    def _repeat(self, desk: Desk, command: str | tuple[str, ...], until: Until) -> CommandResult:
        def look() -> CommandResult | None:
            result = self._run(desk, command)
            return result if until.holds(result) else None

        result = wait_for(look, UNTIL_SECONDS)
        if result is None:
            raise InfraError(f"{in_words(self.command)}: in {UNTIL_SECONDS:g} s it did not come to what `until` names")
        return result


def filled_in(command: str | tuple[str, ...], desk: Desk) -> str | tuple[str, ...]:
    """Return a command with what stands in it for the screen's size and the user's password."""
    width, height = desk.screen
    known = {
        "{CLIENT_PASSWORD}": desk.password,
        "{SCREEN_WIDTH_HALF}": str(width // 2),
        "{SCREEN_HEIGHT_HALF}": str(height // 2),
        "{SCREEN_WIDTH}": str(width),
        "{SCREEN_HEIGHT}": str(height),
    }

    def fill(text: str) -> str:
        for name, value in known.items():
            text = text.replace(name, value)
        return text

    return fill(command) if isinstance(command, str) else tuple(fill(word) for word in command)
