"""Which network does for which need."""

from __future__ import annotations

import pytest

from pytest_rogue.network import suffices


@pytest.mark.parametrize(
    ("given", "needed", "enough"),
    [
        ("none", "none", True),
        ("none", "internal", False),
        ("internal", "full", False),
        ("full", "internal", True),
        ("full", "full", True),
    ],
)
def test_a_network_does_for_every_need_up_to_its_own(given: str, needed: str, enough: bool) -> None:
    assert suffices(given, needed) is enough
