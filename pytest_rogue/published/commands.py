"""A command as task files write it: a list of words, or a line."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, model_validator

from pytest_rogue.desktops.guest_osworld import command_words


def _usable(command: str | tuple[str, ...]) -> str | tuple[str, ...]:
    words = (command,) if isinstance(command, str) else command
    if not words or not words[0].strip():
        raise ValueError("a command has at least one word, the name of a program")
    if any("\0" in word for word in words):
        raise ValueError("a command has no NUL character in it")
    return command


Command = Annotated[str | tuple[str, ...], AfterValidator(_usable)]


class HasCommand(BaseModel):
    """Fields of a step or getter that runs a command.

    Attributes:
        command: words; or a line that is split as a shell would, and with `shell` is given to one.
        shell: whether a shell reads it.
    """

    command: Command
    shell: bool = False

    @model_validator(mode="after")
    def _can_be_split(self) -> HasCommand:
        command_words(self.command, shell=self.shell)
        return self


def in_words(command: str | tuple[str, ...]) -> str:
    """Return a command for a message."""
    return command if isinstance(command, str) else " ".join(command)
