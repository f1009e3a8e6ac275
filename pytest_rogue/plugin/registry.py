"""What users have registered through the hooks, found by name."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_rogue.desktops.protocol import Provider

_LOADED: pytest.StashKey[bool] = pytest.StashKey()


def _local() -> Provider:
    from pytest_rogue.desktops.local import LocalProvider

    return LocalProvider()


PROVIDERS: Mapping[str, Callable[[], Provider]] = {"local": _local}


def make_provider(config: pytest.Config, name: str) -> Provider:
    """Return the provider of that name.

    Raises:
        ConfigError: there is none.
    """
    providers: dict[str, Callable[[], Provider]] = dict(PROVIDERS) | _merged(
        config.hook.pytest_rogue_providers(config=config), "provider", PROVIDERS
    )
    if name not in providers:
        close = difflib.get_close_matches(name, providers, n=1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        raise ConfigError(f"there is no provider '{name}'{hint}; known: {', '.join(sorted(providers))}")
    return providers[name]()


def load_plugins(config: pytest.Config) -> None:
    """Register obstacles and evaluators that the hooks bring, once a process."""
    if config.stash.get(_LOADED, False):
        return
    config.stash[_LOADED] = True
    from pytest_rogue.evaluators import registry as evaluators
    from pytest_rogue.obstacles import registry as obstacles

    try:
        for families in config.hook.pytest_rogue_obstacles(config=config):
            for family in families:
                obstacles.register(family)
        for kinds in config.hook.pytest_rogue_evaluators(config=config):
            for kind in kinds:
                evaluators.register(kind)
    except ConfigError as error:
        raise pytest.UsageError(str(error)) from None


def agents(config: pytest.Config) -> dict[str, Callable[..., Any]]:
    """Return the agents that the hooks bring."""
    return _merged(config.hook.pytest_rogue_agents(config=config), "agent")


def sinks(config: pytest.Config) -> dict[str, Callable[[dict[str, Any]], None]]:
    """Return the report sinks that the hooks bring."""
    return _merged(config.hook.pytest_rogue_sinks(config=config), "sink")


def _merged(answers: list[Mapping[str, Any]], what: str, taken: Mapping[str, Any] | None = None) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for answer in answers:
        for name, value in answer.items():
            if name in merged or name in (taken or {}):
                raise ConfigError(f"two plugins register {what} '{name}'; rename one of them")
            merged[name] = value
    return merged
