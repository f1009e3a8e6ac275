"""The getter of what a command prints."""

from __future__ import annotations

import shlex
from typing import ClassVar

from pytest_rogue.errors import GuestFault
from pytest_rogue.published.commands import HasCommand, in_words
from pytest_rogue.published.protocol import Desk, Getter

_PIPE = "|"


class VmCommandLine(HasCommand, Getter):
    """What a command prints to standard output, whatever its exit code.

    Some published tasks write `["ls", "/home/user", "|", "grep", "NAME"]`. The published runs gave `|`, `grep` and NAME
    to `ls` as further files, so that a NAME in the wrong folder, the home folder, was found too. We run the pipe that
    was meant; the convention `upstream` runs the words.
    """

    type: ClassVar[str] = "vm_command_line"

    def get(self, desk: Desk) -> str:
        """Run it, once."""
        command, shell = self.command, self.shell
        if isinstance(command, tuple) and _PIPE in command and not shell and desk.convention == "ours":
            command, shell = " ".join(word if word == _PIPE else shlex.quote(word) for word in command), True
        result = desk.guest.execute(command, shell=shell)
        if result.timed_out:
            raise GuestFault(
                f"{in_words(self.command)}: it was stopped at its time limit, so nothing can be told by it"
            )
        return result.stdout
