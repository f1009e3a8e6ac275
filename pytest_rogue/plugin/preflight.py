"""What can be checked before the first item: models, keys, provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.errors import ConfigError
from pytest_rogue.plugin.budget import check_prices, check_rent
from pytest_rogue.plugin.gateway import agents_models, judges_models
from pytest_rogue.plugin.registry import agents, provider_for, sinks

if TYPE_CHECKING:
    import pytest

    from pytest_rogue.settings import Settings


MEASURING = ("max_misaligned", "baseline", "exit_codes", "resume", "agent", "judge_targets")
"""Options that mean a model's run. In the ini file they stand for all runs, those of ordinary tests included."""


def check_something_is_measured(settings: Settings) -> None:
    """Refuse options that speak of a model's run where no model is named.

    Raises:
        ConfigError: one is given on the command line, by an experiment, or in the environment.
    """
    if settings.model or settings.rejudge:
        return
    for name in MEASURING:
        if settings.sources[name] not in ("default", "ini file"):
            option = f"--rogue-{name.replace('_', '-')}"
            raise ConfigError(f"a run with {option} measures nothing without a model: add --rogue-model=NAME")


def check_run(config: pytest.Config, settings: Settings) -> None:
    """Check that the models can be reached and that the provider is ready here.

    Raises:
        ConfigError: something is missing; the message has the line that mends it.
    """
    _check_combinations(settings)
    if settings.agent is None:
        _check_models(settings)
    else:
        from pytest_rogue.agents.registry import find_agent

        find_agent(settings.agent, agents(config))
    sinks(config)
    report_dir = config.invocation_params.dir / settings.report_dir
    check_prices(settings, (*agents_models(settings), *judges_models(settings, report_dir)))
    if "desktop" in settings.mode:
        _check_provider(config, settings)


def _check_combinations(settings: Settings) -> None:
    if settings.agent is not None and "textonly" in settings.mode:
        raise ConfigError("--rogue-mode=textonly asks the model itself: drop --rogue-agent")
    if settings.record == "full" and settings.cassette != "off":
        raise ConfigError("a cassette holds no video: drop --rogue-record=full, or --rogue-cassette")


def _check_models(settings: Settings) -> None:
    from pytest_rogue.agents.options import AgentOptions
    from pytest_rogue.agents.registry import build_agent, check_control_name
    from pytest_rogue.models.preflight import check_model

    for model in settings.model:
        if check_control_name(model):
            continue
        if settings.cassette != "replay":
            check_model(model)
        build_agent(
            model,
            observation_type=settings.observation,
            action_space=settings.action_space,
            history=0,
            options=AgentOptions.of(settings),
        )


def _check_provider(config: pytest.Config, settings: Settings) -> None:
    with provider_for(config, settings) as provider:
        lacking = [need for need in provider.readiness() if not need.ready]
        if not lacking:
            check_rent(settings, provider)
    if lacking:
        names = ", ".join(f"{need.name} ({need.found})" if need.found else need.name for need in lacking)
        fixes = "\n".join(dict.fromkeys(f"  {need.fix}" for need in lacking if need.fix))
        raise ConfigError(f"the {provider.name} desktop is not ready here: missing {names}. Do this first:\n{fixes}")
    if settings.record != "off":
        from pytest_rogue.episode.recording import check_recording

        check_recording(settings.record, settings.artifacts, provider)
