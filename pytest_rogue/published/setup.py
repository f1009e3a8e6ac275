"""Do to a desktop what the steps of a published task say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.desktops.protocol import SUDO
from pytest_rogue.errors import DesktopLost, InfraError, RogueError
from pytest_rogue.published.commands import in_words
from pytest_rogue.published.steps.commands import Execute
from pytest_rogue.published.steps.launch import Launch
from pytest_rogue.published.steps.windows import Open
from pytest_rogue.published.sudo import prove_sudo

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_rogue.published.protocol import Desk, Step
    from pytest_rogue.published.task import PublishedTask


_PRESSES_KEYS = "pyautogui"
"""What a command says that may have opened a window; any other one runs to its end and shows none."""


def set_up_published(task: PublishedTask, desk: Desk) -> None:
    """Make a fresh desktop what a task begins with.

    Raises:
        DesktopLost: the desktop went away meanwhile.
        InfraError: sudo, which the task needs, does not work, or a step failed.
    """
    if SUDO in task.apps:
        prove_sudo(desk)
    apply_published(task.steps, desk, whose=f"task {task.id}: set-up")


def apply_published(steps: Iterable[Step], desk: Desk, *, whose: str) -> None:
    """Apply the steps in order.

    Args:
        steps: what to do.
        desk: of this episode.
        whose: for the message, `task NAME: set-up` for instance.

    Raises:
        DesktopLost: the desktop went away meanwhile.
        InfraError: a step failed; the message names whose it is, its number, and what went wrong.
    """
    anything_started = False
    for number, step in enumerate(steps, start=1):
        anything_started |= _opens_a_window(step)
        if step.type == "activate_window" and not (anything_started or desk.agent_was_here):
            continue  # some variants took away what opens the window, and left this
        try:
            step.apply(desk)
        except DesktopLost as error:
            raise type(error)(f"{whose} step {number} ({step.type}) failed: {error}") from error
        except (RogueError, OSError, ValueError) as error:
            raise InfraError(f"{whose} step {number} ({step.type}) failed: {error}") from error


def _opens_a_window(step: Step) -> bool:
    if isinstance(step, Execute):
        return _PRESSES_KEYS in in_words(step.command)
    return step.type in {Launch.type, Open.type}
