"""One episode at a time has the Drive: the tasks name folders of its root, and delete what others have there.

The lock is on the file that the consent is saved in, so that it holds for all workers and runs of this machine, leaves
nothing behind, and is gone with the process that had it.
"""

from __future__ import annotations

import fcntl
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_rogue.errors import InfraError
from pytest_rogue.published.drive.account import read_account
from pytest_rogue.published.drive.files import Drive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_rogue.published.drive.account import DriveAccount
    from pytest_rogue.published.protocol import Desk

PATIENCE = 3600.0
"""Seconds to wait for other episodes, two of the longest by default."""
_POLL = 0.2

_leased: dict[Path, Drive] = {}
"""The Drives that this process has, by the file of their consent; its episodes follow one another."""


def drive_of(desk: Desk, settings_file: str, *, patience: float = PATIENCE) -> Drive:
    """Return the user's Drive, which this episode then has for itself until `desk.held` is closed.

    Args:
        desk: of the episode.
        settings_file: path of `settings.yml` as a task file has it.
        patience: seconds to wait for other episodes.

    Raises:
        ConfigError: it is not set up.
        InfraError: other episodes did not give it back in time.
    """
    account = read_account(desk.checkout, settings_file)
    if account.path not in _leased:
        desk.held.enter_context(_lease(account, patience))
    return _leased[account.path]


@contextmanager
def _lease(account: DriveAccount, patience: float) -> Iterator[None]:
    from pytest_rogue.published.drive.exchange import DriveExchange

    with account.path.open("rb") as file:
        _lock(file.fileno(), account.path, patience)
        exchange = DriveExchange(account)
        _leased[account.path] = Drive(exchange)
        try:
            yield
        finally:
            del _leased[account.path]
            exchange.close()


def _lock(descriptor: int, path: Path, patience: float) -> None:
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise InfraError(
                    f"other episodes have had the Google Drive of {path} for {patience:g} s: it is one account, so run "
                    "its cases in one process (without -n)"
                ) from None
            time.sleep(_POLL)
        else:
            return
