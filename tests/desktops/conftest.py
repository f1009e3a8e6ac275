"""Desktops and guests for the tests of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.desktops.faulty_guest import TOKEN, FaultyGuest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.desktops.local import LocalDesktop


@pytest.fixture
def faulty_guest() -> Iterator[FaultyGuest]:
    guest = FaultyGuest()
    yield guest
    guest.close()


@pytest.fixture
def client(faulty_guest: FaultyGuest) -> Iterator[GuestClient]:
    from pytest_rogue.desktops.guest_client import GuestClient

    client = GuestClient(token=TOKEN, base_url=faulty_guest.url)
    yield client
    client.close()


@pytest.fixture
def start_desktop() -> Iterator[Callable[..., LocalDesktop]]:
    """Start small desktops that end with the test."""
    from pytest_rogue.desktops.local import LocalProvider
    from pytest_rogue.desktops.protocol import DesktopSpec

    started: list[LocalDesktop] = []

    def start(memory_mb: int = 4096) -> LocalDesktop:
        desktop = LocalProvider().start(DesktopSpec(width=1024, height=768, memory_mb=memory_mb, timeout=60))
        started.append(desktop)
        return desktop

    yield start
    for desktop in started:
        desktop.stop()


@pytest.fixture
def desktop(start_desktop: Callable[..., LocalDesktop]) -> LocalDesktop:
    return start_desktop()
