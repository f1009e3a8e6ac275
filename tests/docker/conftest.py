"""A real engine and real containers for the tests of this folder."""

from __future__ import annotations

import fcntl
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.desktops.docker import DockerProvider
from pytest_rogue.desktops.protocol import DesktopSpec
from tests.plugin.conftest import suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_rogue.desktops.docker import DockerDesktop

__all__ = ["suite"]

IMAGE = os.environ.get("PYTEST_ROGUE_TEST_IMAGE")
"""Another image than that of this version."""

RUN = f"tests-{os.getpid()}"

SPEC = DesktopSpec(width=1024, height=768, memory_mb=2048, timeout=60)


@pytest.fixture
def leftovers_are_ours() -> Iterator[None]:
    """No other test of this machine leaves or removes leftovers meanwhile: they are the engine's, not the test's."""
    with (Path(tempfile.gettempdir()) / "pytest-rogue-tests-leftovers.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture
def make_provider() -> Iterator[Callable[..., DockerProvider]]:
    """Make providers whose containers are gone when the test is over."""
    made: list[DockerProvider] = []

    def make(**options: object) -> DockerProvider:
        provider = DockerProvider(**({"image": IMAGE, "run_id": RUN} | options))  # type: ignore[arg-type]
        made.append(provider)
        return provider

    yield make
    for provider in made:
        provider.close()


@pytest.fixture
def provider(make_provider: Callable[..., DockerProvider]) -> DockerProvider:
    return make_provider()


@pytest.fixture
def desktop(provider: DockerProvider) -> Iterator[DockerDesktop]:
    desktop = provider.start(SPEC)
    yield desktop
    desktop.stop()
