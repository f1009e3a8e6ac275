"""What all tests share."""

from __future__ import annotations

import functools
import os

import pytest
from hypothesis import HealthCheck, settings

# Property tests look for wrong answers, not for slow ones: the machine may be busy.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

WITHOUT_SLOW_PLUGINS = "-p no:hypothesispytest -p no:anyio"
"""For the pytest that a test starts: it needs neither, and to load them takes most of the time of its start."""


@functools.cache
def missing_for_desktops() -> str:
    """Return what keeps an embedded desktop from running here, empty for nothing."""
    from pytest_rogue.desktops.local import LocalProvider

    return ", ".join(need.name for need in LocalProvider().readiness() if not need.ready)


@functools.cache
def missing_for_containers() -> str:
    """Return what keeps desktops from running in containers here, empty for nothing."""
    from pytest_rogue.desktops.docker import DockerProvider

    needs = DockerProvider(image=os.environ.get("PYTEST_ROGUE_TEST_IMAGE")).readiness()
    return "; ".join(f"{need.found or need.name}: {need.fix}" for need in needs if not need.ready)


def pytest_itemcollected(item: pytest.Item) -> None:
    # Not in pyproject.toml: there it would also turn a warning of some library into an error of a measured episode.
    item.add_marker(pytest.mark.filterwarnings("error"), append=False)


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("desktop") is not None and missing_for_desktops():
        pytest.skip(f"no embedded desktop here, missing: {missing_for_desktops()}")
    if item.get_closest_marker("docker") is not None and missing_for_containers():
        pytest.skip(f"no desktops in containers here: {missing_for_containers()}")


@pytest.fixture(autouse=True)
def no_options_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's own settings, keys, and Docker engine decide nothing in the tests."""
    for name in list(os.environ):
        if name.startswith("ROGUE_") or name in ("PYTEST_ADDOPTS", "GITHUB_STEP_SUMMARY") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("ROGUE_PROVIDER", "local")
    monkeypatch.setenv("PYTEST_ADDOPTS", WITHOUT_SLOW_PLUGINS)


@pytest.fixture
def pytester(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Pytester clears the options of the environment; these are for it, too."""
    monkeypatch.setenv("PYTEST_ADDOPTS", WITHOUT_SLOW_PLUGINS)
    return pytester
