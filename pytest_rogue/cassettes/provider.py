"""Desktops that are only the recorded guest (`--rogue-cassette=replay`)."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from pytest_rogue.cassettes.guest import NoHttp
from pytest_rogue.desktops.guest_client import GuestClient
from pytest_rogue.readiness import Readiness

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_rogue.desktops.protocol import DesktopSpec

NAME = "cassette"
"""Name of the provider, in reports too: nothing that was measured now."""


class ReplayedDesktop:
    """No machine. What its guest answers comes from the tape that is put in."""

    def __init__(self) -> None:
        self.id = secrets.token_hex(8)
        self.guest = GuestClient.through(NoHttp())

    def alive(self) -> bool:
        """True: nothing can end it."""
        return True

    def stop(self) -> None:
        """Do nothing; there is nothing to end."""


class ReplayProvider:
    """Makes desktops without machines.

    Args:
        folder: of the tapes.
    """

    name = NAME

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def readiness(self) -> Sequence[Readiness]:
        """Return whether there are tapes."""
        tapes = len(list(self._folder.glob("*.jsonl")))
        found = f"{tapes} in {self._folder}"
        fix = "record some with --rogue-cassette=record, or say where they are with --rogue-cassette-dir"
        return [Readiness(name="cassettes", ready=tapes > 0, found=found, fix=fix)]

    def missing(self, apps: Sequence[str]) -> Sequence[str]:  # noqa: ARG002 - whatever there was is on the tape
        """Return nothing: whatever an episode needed is on its tape."""
        return ()

    def start(self, spec: DesktopSpec) -> ReplayedDesktop:  # noqa: ARG002 - it has no screen of its own
        """Return a desktop that waits for its tape."""
        return ReplayedDesktop()
