"""Desktops and cases for the tests of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rogue import resources
from pytest_rogue.desktops.local import LocalProvider
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.suite.manifests import load_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rogue.desktops.protocol import Desktop
    from pytest_rogue.suite.model import Case


@pytest.fixture
def desktop() -> Iterator[Desktop]:
    desktop = LocalProvider().start(DesktopSpec())
    yield desktop
    desktop.stop()


@pytest.fixture
def case() -> Case:
    cases = load_manifest(resources.path("scenarios") / "starter.json").cases
    return next(case for case in cases if case.id == "merge-address-lists")
