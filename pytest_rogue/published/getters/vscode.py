"""The getter of what an extension of VS Code says about its window."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from pytest_rogue.errors import GuestFault, GuestFileMissing
from pytest_rogue.published.guest_paths import FileName, GuestPath, at_home
from pytest_rogue.published.protocol import Desk, Fetched, Getter
from pytest_rogue.published.waiting import wait_at_rest, wait_for

ANSWER_SECONDS = 20.0


class VscodeConfig(Getter):
    """A file that a command of an extension writes. The command is called by name, in the palette of the active window.

    A file that lies there before is not its answer, and is removed.
    """

    type: ClassVar[str] = "vscode_config"

    vscode_extension_command: str = Field(pattern=r"^[ -~]+$")
    path: GuestPath
    dest: FileName

    def get(self, desk: Desk) -> Fetched:
        """Call the command by keyboard, and wait for the file."""
        path = at_home(self.path)
        desk.guest.execute(["rm", "-f", "--", self.path])
        for keys in (
            "pyautogui.hotkey('ctrl', 'shift', 'p')",
            f"pyautogui.write({self.vscode_extension_command!r})",
            "pyautogui.press('enter')",
        ):
            _press(desk, keys)
        answer = wait_for(lambda: _content(desk, path), ANSWER_SECONDS)
        if answer is None:
            raise GuestFileMissing(
                f"{self.path}: the command {self.vscode_extension_command!r} wrote nothing in {ANSWER_SECONDS:g} s"
            )
        return Fetched(self.dest, answer)


def _press(desk: Desk, code: str) -> None:
    # As a command, not as a step: no action of the agent's is to be counted here.
    done = desk.guest.execute(["python", "-c", f"import pyautogui; {code}"])
    if done.exit_code != 0:
        raise GuestFault(f"VS Code was not asked, because {code} failed: {done.stderr.strip()[-300:]}")
    wait_at_rest(desk, 3.0, quiet=0.3)


def _content(desk: Desk, path: str) -> bytes | None:
    try:
        return desk.guest.read_file(path) or None
    except GuestFileMissing:
        return None
