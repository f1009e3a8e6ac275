"""Desks for the tests of published tasks: a desktop, a checkout, and a folder in the place of the web."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.errors import InfraError
from pytest_rogue.published.protocol import Desk
from pytest_rogue.published.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_rogue.desktops.guest_client import GuestClient


@dataclass(frozen=True, slots=True)
class FolderOfTheWeb:
    """Files that were downloaded before, by the last part of their URL."""

    folder: Path

    def fetch(self, url: str) -> Path:
        path = self.folder / url.rpartition("/")[2]
        if not path.is_file():
            raise InfraError(f"{url} is not here")
        return path


def desk_with(guest: GuestClient, folder: Path) -> Desk:
    """Return a desk whose checkout and whose web are a folder."""
    return Desk(guest, folder, FolderOfTheWeb(folder), screen=(1024, 768))


@pytest.fixture(scope="module")
def guest() -> Iterator[GuestClient]:
    """The guest of one embedded desktop, for all tests of a module."""
    from pytest_rogue.desktops.local import LocalProvider
    from pytest_rogue.desktops.protocol import DesktopSpec

    desktop = LocalProvider().start(DesktopSpec(width=1024, height=768, timeout=60))
    try:
        yield desktop.guest
    finally:
        desktop.stop()


@pytest.fixture
def desk(guest: GuestClient, tmp_path: Path) -> Iterator[Desk]:
    """A desk whose desktop shows no window, before and after."""
    yield desk_with(guest, tmp_path)
    guest.run(["pkill", "-f", "Gtk.Window|mousepad"])
    assert wait_for(lambda: not guest.windows() or None, 20)
