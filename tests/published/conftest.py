"""What the tests of this folder share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rogue import secrets
from tests.published.google_checkout import running_drive
from tests.published.small_checkout import SmallCheckout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.published.google_checkout import DriveServer


@pytest.fixture
def small_checkout(tmp_path: Path) -> SmallCheckout:
    """An empty checkout."""
    return SmallCheckout(tmp_path / "checkout")


@pytest.fixture
def drive(monkeypatch: pytest.MonkeyPatch) -> Iterator[DriveServer]:
    """Return an empty Drive."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with running_drive() as server:
        yield server


@pytest.fixture(autouse=True)
def _forgotten_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test has registered is scrubbed in no other one."""
    monkeypatch.setattr(secrets, "_registered", {})
