"""The gateway of the run on pytest's side: who is asked, and how each process gets to its models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_rogue.plugin.judging import judging_plan, wants_judges

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from pytest_rogue.judging.targets import Target
    from pytest_rogue.models.client import ModelClient
    from pytest_rogue.models.gateway_keeper import GatewayKeeper
    from pytest_rogue.models.gateway_wire import Door
    from pytest_rogue.models.options import ModelOptions
    from pytest_rogue.records.run_folder import RunFolder
    from pytest_rogue.settings import Settings


def agents_models(settings: Settings) -> tuple[str, ...]:
    """Return the language models that are asked for the built-in agent; agents of the user's own may ask others."""
    from pytest_rogue.agents.registry import check_control_name

    if settings.agent or settings.cassette == "replay":
        return ()
    return tuple(model for model in settings.model if not check_control_name(model))


def judges_models(settings: Settings, report_dir: Path) -> tuple[str, ...]:
    """Return the language models that judge."""
    if not (wants_judges(settings) or settings.rejudge):
        return ()
    return tuple(target.model for target in judging_plan(settings, report_dir).targets if not target.is_rules)


def open_gateway(settings: Settings, folder: RunFolder, *, at_once: bool) -> GatewayKeeper:
    """Return the gateway of a run; it starts at once, or with the first call."""
    from pytest_rogue.models.budget import Limits
    from pytest_rogue.models.gateway_keeper import GatewayKeeper
    from pytest_rogue.models.prices import own_prices

    limits = Limits(settings.max_cost, settings.max_tokens)
    keeper = GatewayKeeper(folder, limits, own_prices(settings.price))
    keeper.start(at_once=at_once)
    return keeper


def withdraw_keys(config: pytest.Config, settings: Settings, models: tuple[str, ...]) -> None:
    """Take the keys of these models out of the environment that workers of xdist will get: the gateway has them.

    They stay where an agent of the user's own may need them.
    """
    from pytest_rogue.models.preflight import keys_of
    from pytest_rogue.secrets import withdraw

    if settings.agent is None and getattr(config.option, "dist", "no") != "no":
        for model in models:
            withdraw(keys_of(model))


def door_from_wire(data: Any) -> Door | None:
    """Return where a worker finds the gateway, None where there is none."""
    from pytest_rogue.models.gateway_wire import Door
    from pytest_rogue.secrets import Secret

    return None if data is None else Door(data[0], Secret(data[1], "gateway"))


def agents_clients(door: Door) -> Callable[[str, ModelOptions], ModelClient]:
    """Return what makes the client of an agent's model."""
    from pytest_rogue.models.gateway_client import GatewayClient

    return lambda model, options: GatewayClient(door, model, options=options)


def judges_clients(door: Door) -> Callable[[Target], ModelClient]:
    """Return what makes the client of a judge's model."""
    from pytest_rogue.models.gateway_client import GatewayClient

    return lambda target: GatewayClient(door, target.model, parameters=target.parameters)
