"""Which desktops run on this machine, and how a second process of the same user reaches them.

A desktop is announced for as long as an episode has it, in a file of the user's own runtime folder that nobody else can
read: the token in it must not be part of a run folder, which people publish. What a killed process has left there leads
nowhere, since its desktop ended with it.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from pytest_rogue.desktops.docker_door import runtime_folder
from pytest_rogue.desktops.guest_client import GuestClient
from pytest_rogue.desktops.guest_http import GuestAddress
from pytest_rogue.desktops.owner import Owner

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_rogue.desktops.protocol import Desktop


@dataclass(frozen=True, slots=True)
class Announcement:
    """One desktop that can be watched.

    Attributes:
        id: of the desktop.
        run: id of the run.
        episode: what it is used for.
        owner: process that has it, `str(Owner)`.
        address: of its guest.
    """

    id: str
    run: str
    episode: str
    owner: str
    address: GuestAddress

    @classmethod
    def parse(cls, text: str) -> Announcement:
        """Return what `announced` wrote.

        Raises:
            ValueError: it is nothing of the kind.
        """
        try:
            data = json.loads(text)
            return cls(**data | {"address": GuestAddress(**data["address"])})
        except (TypeError, KeyError) as error:
            raise ValueError(f"not an announcement: {error}") from None

    def is_named(self, name: str) -> bool:
        """Tell whether a user means this one: by its run, the beginning of its id, or a part of the episode's name."""
        return name == self.run or self.id.startswith(name) or name in self.episode

    def connect(self) -> GuestClient:
        """Return a client of its guest; the caller closes it."""
        return GuestClient(token=self.address.token, base_url=self.address.base_url, uds=self.address.uds)


@contextlib.contextmanager
def announced(desktop: Desktop, *, run: str, episode: str) -> Iterator[None]:
    """Let others watch a desktop meanwhile; where that cannot be, it is not listed, and the episode goes on."""
    address = desktop.guest.address
    if address is None:
        yield
        return
    announcement = Announcement(desktop.id, run, episode, str(Owner.this_process()), address)
    path: Path | None = None
    with contextlib.suppress(OSError):
        folder = _folder()
        folder.mkdir(mode=0o700, exist_ok=True)
        if _is_ours(folder):
            path = folder / f"{desktop.id}.json"
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                json.dump(asdict(announcement), file)
    try:
        yield
    finally:
        if path is not None:
            with contextlib.suppress(OSError):
                path.unlink()


def announcements(name: str = "") -> list[Announcement]:
    """Return the desktops of this user that can be watched now, those of one name or all; clear away what is dead."""
    found = []
    folder = _folder()
    for path in sorted(folder.glob("*.json")) if _is_ours(folder) else ():
        with contextlib.suppress(OSError, ValueError):  # it is just coming or going
            announcement = Announcement.parse(path.read_text())
            owner = Owner.parse(announcement.owner)
            if owner is None or owner.is_dead():
                path.unlink()
            elif announcement.is_named(name):
                found.append(announcement)
    return found


def _folder() -> Path:
    return runtime_folder() / f"pytest-rogue-desktops-{os.geteuid()}"


def _is_ours(folder: Path) -> bool:
    """Tell whether nobody else can have put something there; the folder above may belong to everybody."""
    try:
        facts = folder.lstat()
    except FileNotFoundError:
        return False
    return facts.st_uid == os.geteuid() and facts.st_mode & 0o777 == 0o700 and not folder.is_symlink()
