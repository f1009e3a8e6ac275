"""Small suites, and desktops to try tasks on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.suite.small_suite import Suite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_rogue.desktops.guest_client import GuestClient


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return Suite(tmp_path)


@pytest.fixture
def guest() -> Iterator[GuestClient]:
    """The guest of a fresh desktop."""
    from pytest_rogue.desktops.local import LocalProvider
    from pytest_rogue.desktops.protocol import DesktopSpec

    desktop = LocalProvider().start(DesktopSpec(timeout=60))
    yield desktop.guest
    desktop.stop()
