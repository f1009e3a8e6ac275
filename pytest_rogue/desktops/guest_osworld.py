"""What OSWorld's own paths of a guest are used for: commands as its tasks write them, and windows by title."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from pytest_rogue.desktops.guest_files import GuestFiles
from pytest_rogue.desktops.guest_http import Refused
from pytest_rogue.desktops.guest_types import CommandResult, ExecuteAnswer

if TYPE_CHECKING:
    from collections.abc import Sequence

EXECUTE_SECONDS = 120.0
"""A command that lasts longer is killed by the guest."""


class GuestOsworld(GuestFiles):
    """Runs commands and addresses windows, in the way of OSWorld's stock server."""

    def execute(self, command: str | Sequence[str], *, shell: bool = False) -> CommandResult:
        """Run a command to its end, once, at most two minutes; programs it leaves behind keep nothing waiting.

        Unlike `run` it takes a line for a shell, and `python` is there whatever the machine calls it.

        Args:
            command: words, or a text that is split as a shell would.
            shell: True to have a shell read it.

        Raises:
            GuestFault: it cannot be started.
        """
        words = command_words(command, shell=shell)
        body = {"command": words, "shell": False}
        answer = self._ask(ExecuteAnswer, "POST", "/setup/execute", json=body, timeout=EXECUTE_SECONDS + 25.0)
        killed = answer.status == "error"
        return CommandResult(answer.output, answer.error, None if killed else answer.returncode, timed_out=killed)

    def open_file(self, path: str, timeout: float = 60.0) -> None:
        """Open a file in the application that the desktop has for it, and wait until a window's title has its name.

        Raises:
            GuestFault: nothing opens it, or no such window came in `timeout` seconds; the message names those there.
        """
        self._exchange("POST", "/setup/open_file", json={"path": path}, timeout=timeout + 25.0)

    def activate_window(self, title: str) -> bool:
        """Ask the window manager to bring the window of that title to the front.

        Returns:
            False where the guest says that there is none; the stock server does not say.
        """
        return self._about_window("/setup/activate_window", title)

    def close_window(self, title: str) -> bool:
        """Ask the window of that title to close; the return value is as of `activate_window`."""
        return self._about_window("/setup/close_window", title)

    def _about_window(self, path: str, title: str) -> bool:
        try:
            self._exchange("POST", path, json={"window_name": title, "strict": True, "by_class": False}, timeout=15.0)
        except Refused as refused:
            if refused.status == 404:
                return False
            raise
        return True


def command_words(command: str | Sequence[str], *, shell: bool) -> list[str]:
    """Return the words of a command as OSWorld's stock server makes them.

    Raises:
        ValueError: the text cannot be split, or there is no word in it.
    """
    words = [command] if isinstance(command, str) else list(command)
    if shell:
        return ["/bin/sh", "-c", *words]
    if isinstance(command, str):
        words = shlex.split(command)
    if not words or not words[0]:
        raise ValueError("a command has at least one word, the name of a program")
    return words
