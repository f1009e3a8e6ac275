"""What the tests of this folder share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.published.small_checkout import SmallCheckout

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def small_checkout(tmp_path: Path) -> SmallCheckout:
    """An empty checkout."""
    return SmallCheckout(tmp_path / "checkout")
