"""Steps about windows: bring one to the front, close one, open a file in one."""

from __future__ import annotations

import logging
from pathlib import PurePosixPath
from typing import ClassVar

from pydantic import Field

from pytest_rogue.errors import GuestFault, GuestFileMissing, GuestFileUnreadable, InfraError
from pytest_rogue.published.guest_paths import GuestPath, at_home
from pytest_rogue.published.protocol import Desk, Step
from pytest_rogue.published.waiting import wait_at_rest, wait_for
from pytest_rogue.published.windows import WindowName, window_titles

COME_SECONDS = 60.0
"""For a window that a program is about to show."""

OBEY_SECONDS = 20.0
"""For a window manager that was asked for something, and for a window that may be gone by the agent's doing."""

_LOG = logging.getLogger(__name__)


class _WindowStep(Step):
    window_name: str = Field(min_length=1)
    strict: bool = False
    by_class: bool = False

    @property
    def name(self) -> WindowName:
        """Which window is meant."""
        return WindowName(self.window_name, self.strict, self.by_class)


class ActivateWindow(_WindowStep):
    """A window is at the front, and has the keyboard."""

    type: ClassVar[str] = "activate_window"

    def apply(self, desk: Desk) -> None:
        """Wait until it is there, and then until it is the active one.

        Where the agent has been at work, a window that does not come, or stays behind a dialog that was left open, is
        none of the machine's faults: as in the published runs, the task is scored without it.
        """
        patience = OBEY_SECONDS if desk.agent_was_here else COME_SECONDS
        if not wait_for(lambda: self.name.among(desk.guest) or None, patience):
            _fail(desk, f"no window {self.name} came in {patience:g} s to be activated")
        elif not wait_for(lambda: self._at_front(desk) or None, OBEY_SECONDS):
            _fail(desk, f"the window {self.name} did not come to the front in {OBEY_SECONDS:g} s")

    def _at_front(self, desk: Desk) -> bool:
        """Ask for it as often as it is not: another window may come in between, and to ask again does no harm."""
        found = self.name.among(desk.guest)
        if any(window.active for window in found):
            return True
        if found:
            desk.guest.activate_window(found[-1].title)
        return False


class CloseWindow(_WindowStep):
    """A window is closed. One that is not there is closed already, as by the agent.

    One that does not close once the agent has been at work asks whether to save, for instance; that is no fault.
    """

    type: ClassVar[str] = "close_window"

    def apply(self, desk: Desk) -> None:
        """Ask the newest of that name to close, once, and wait until it is gone."""
        found = self.name.among(desk.guest)
        if not found:
            return
        before = {window.id for window in found}
        desk.guest.close_window(found[-1].title)

        def gone() -> bool:
            return bool(before - {window.id for window in desk.guest.windows()})

        if not wait_for(lambda: gone() or None, OBEY_SECONDS):
            _fail(desk, f"the window {self.name} did not close in {OBEY_SECONDS:g} s")


def _fail(desk: Desk, said: str) -> None:
    """Tell what a window did not do; it is a fault unless the agent may have brought it about."""
    told = f"{said}; there are: {window_titles(desk.guest)}"
    if not desk.agent_was_here:
        raise InfraError(told)
    _LOG.info("%s", told)


class Open(Step):
    """A file is open in the application that the desktop has for it."""

    type: ClassVar[str] = "open"

    path: GuestPath

    def apply(self, desk: Desk) -> None:
        """Open it, and wait until a window's title has its name; a large program may take longer than the guest."""
        path = at_home(self.path)
        try:
            desk.guest.stat(path)
            desk.guest.open_file(path, COME_SECONDS)
        except (GuestFileMissing, GuestFileUnreadable) as error:
            raise InfraError(f"{self.path} cannot be opened: {error}") from error
        except GuestFault:
            if not wait_for(lambda: self._name.among(desk.guest) or None, OBEY_SECONDS):
                raise
        wait_at_rest(desk, 5.0, quiet=0.3)

    @property
    def _name(self) -> WindowName:
        return WindowName(PurePosixPath(self.path).stem)
