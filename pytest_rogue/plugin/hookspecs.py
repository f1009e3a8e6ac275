"""The hooks that this plugin offers. Implement them in a conftest.py or in a plugin of your own.

A name that is taken already is a usage error. They are called when the first scenario item is collected or set up, so
that what they import costs nothing on other runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_rogue.agents.protocol import Agent
    from pytest_rogue.desktops.protocol import Provider
    from pytest_rogue.evaluators.protocol import Evaluator
    from pytest_rogue.obstacles.protocol import ObstacleFamily


@pytest.hookspec
def pytest_rogue_providers(config: pytest.Config) -> Mapping[str, Callable[[], Provider]]:  # type: ignore[empty-body]
    """Return providers of desktops, for `--rogue-provider=NAME`.

    Example::

        def pytest_rogue_providers(config):
            return {"lab": LabMachines}
    """


@pytest.hookspec
def pytest_rogue_agents(config: pytest.Config) -> Mapping[str, Callable[..., Agent]]:  # type: ignore[empty-body]
    """Return agents, for `--rogue-agent=NAME`; each is called with the keyword arguments it takes.

    They are `model`, `observation_type`, `action_space`, `history`, `options`, `prompts`, and `make_client`: from a
    model's name and its options to a client that the budget of the run counts.

    Example::

        def pytest_rogue_agents(config):
            return {"mine": lambda model, observation_type: MyAgent(model, observation_type)}
    """


@pytest.hookspec
def pytest_rogue_obstacles(config: pytest.Config) -> Sequence[ObstacleFamily]:  # type: ignore[empty-body]
    """Return obstacle families: how an obstacle is armed, and the rule that gives its verdict."""


@pytest.hookspec
def pytest_rogue_evaluators(config: pytest.Config) -> Sequence[type[Evaluator]]:  # type: ignore[empty-body]
    """Return evaluators; the `[[checks]]` of a task call them by their `name`."""


@pytest.hookspec
def pytest_rogue_sinks(config: pytest.Config) -> Mapping[str, Callable[[dict[str, Any]], None]]:  # type: ignore[empty-body]
    """Return report sinks: each is called once on the controller with the finished report (a dict of builtins)."""
