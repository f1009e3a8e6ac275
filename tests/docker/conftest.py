"""A real engine and real containers for the tests of this folder."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.desktops.docker import DockerProvider
from pytest_rogue.desktops.docker_engine import Engine, EngineFault
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_rogue.desktops.docker import DockerDesktop

IMAGE = os.environ.get("PYTEST_ROGUE_TEST_IMAGE")
"""Another image than the one that was built last."""

RUN = f"tests-{os.getpid()}"

SPEC = DesktopSpec(width=1024, height=768, memory_mb=2048, timeout=60)


@functools.cache
def missing_for_containers() -> str:
    """Return what keeps desktops from running in containers here, empty for nothing."""
    engine = Engine()
    try:
        engine.image(IMAGE or engine.newest_image())
    except (EngineFault, ConfigError) as error:
        return str(error)
    finally:
        engine.close()
    return ""


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("docker") is not None and missing_for_containers():
        pytest.skip(missing_for_containers())


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
