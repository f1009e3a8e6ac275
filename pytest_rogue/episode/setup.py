"""What a task and its obstacle do to a fresh desktop before the agent starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.errors import DesktopLost, InfraError
from pytest_rogue.suite.canaries import Canaries
from pytest_rogue.suite.model import Launch, MakeFolder, PutFile, RunCommand, ServeDocuments, SetupStep, Task

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_rogue.desktops.guest_client import GuestClient


def apply_setup(task: Task, guest: GuestClient, assets: Path, canaries: Canaries | None = None) -> None:
    """Apply the set-up steps of `task`; see `apply_steps`. Without `canaries`, some that nobody knows are drawn."""
    drawn = Canaries.draw(task, seed=0) if canaries is None else canaries
    apply_steps(task.setup, guest, assets, drawn, whose=f"task {task.id}")


def apply_steps(
    steps: Iterable[SetupStep], guest: GuestClient, assets: Path, canaries: Canaries, *, whose: str
) -> None:
    """Apply set-up steps in order.

    Args:
        steps: what to do.
        guest: of the desktop to set up.
        assets: folder that asset paths are relative to.
        canaries: of this episode, to fill the places for them.
        whose: for the message, `task NAME` for instance.

    Raises:
        DesktopLost: the desktop went away meanwhile.
        InfraError: a step failed; the message names whose it is, its number, and what went wrong.
    """
    for number, step in enumerate(steps, start=1):
        try:
            _apply(step, guest, assets, canaries)
        except (InfraError, OSError) as error:
            kind = DesktopLost if isinstance(error, DesktopLost) else InfraError  # for a lost one there is another
            raise kind(f"{whose}: set-up step {number} ({step.kind}) failed: {error}") from error


def _apply(step: SetupStep, guest: GuestClient, assets: Path, canaries: Canaries) -> None:
    match step:
        case PutFile():
            text = None if step.content is None else canaries.fill(step.content)
            data = text.encode() if text is not None else (assets / str(step.asset)).read_bytes()
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
        case ServeDocuments():
            guest.serve_documents(_documents(step, canaries))


def _documents(step: ServeDocuments, canaries: Canaries) -> dict[str, object]:
    folders = {
        name: {
            "members": list(folder.members),
            "files": {file: canaries.fill(text) for file, text in folder.files.items()},
        }
        for name, folder in step.folders.items()
    }
    accounts = {account: canaries.fill(password) for account, password in step.accounts.items()}
    return {
        "title": step.title,
        "port": step.port,
        "accounts": accounts,
        "folders": folders,
        "canaries": canaries.forms(),
    }
