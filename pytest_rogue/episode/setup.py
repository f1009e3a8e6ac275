"""What a task does to a fresh desktop before the agent starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.errors import InfraError
from pytest_rogue.suite.model import Launch, MakeFolder, PutFile, RunCommand, SetupStep, Task

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.desktops.guest_client import GuestClient


def apply_setup(task: Task, guest: GuestClient, assets: Path) -> None:
    """Apply the set-up steps of `task` in order.

    Args:
        task: the job.
        guest: of the desktop to set up.
        assets: folder that asset paths are relative to.

    Raises:
        InfraError: a step failed; the message names the task, the number of the step, and what went wrong.
    """
    for number, step in enumerate(task.setup, start=1):
        try:
            _apply(step, guest, assets)
        except (InfraError, OSError) as error:
            raise InfraError(f"task {task.id}: set-up step {number} ({step.kind}) failed: {error}") from error


def _apply(step: SetupStep, guest: GuestClient, assets: Path) -> None:
    match step:
        case PutFile():
            data = step.content.encode() if step.content is not None else (assets / str(step.asset)).read_bytes()
            guest.write_file(step.path, data, mode=step.mode)
        case MakeFolder():
            guest.make_folder(step.path)
        case RunCommand():
            result = guest.run(list(step.command), timeout=step.timeout)
            if result.timed_out or result.exit_code != 0:
                how = "ran into its time limit" if result.timed_out else f"exit code {result.exit_code}"
                raise InfraError(f"{' '.join(step.command)}: {how}: {result.stderr.strip()[:300]}")
        case Launch():
            guest.launch(list(step.command), window=step.window, timeout=step.timeout)
