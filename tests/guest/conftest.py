"""One guest for all tests that leave it as they found it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.guest._guest import Guest, running_guest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    with running_guest(tmp_path_factory.mktemp("guest"), "--width", "1280", "--height", "800") as running:
        yield running
