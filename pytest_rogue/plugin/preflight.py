"""What can be checked before the first item: models, keys, provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.errors import ConfigError
from pytest_rogue.plugin.judging import judging_plan, wants_judges
from pytest_rogue.plugin.registry import agents, provider_for, sinks

if TYPE_CHECKING:
    import pytest

    from pytest_rogue.settings import Settings


def check_run(config: pytest.Config, settings: Settings) -> None:
    """Check that the models can be reached and that the provider is ready here.

    Raises:
        ConfigError: something is missing; the message has the line that mends it.
    """
    if settings.agent is None:
        from pytest_rogue.agents.options import AgentOptions
        from pytest_rogue.agents.registry import build_agent, check_control_name
        from pytest_rogue.models.preflight import check_model

        for model in settings.model:
            if not check_control_name(model):
                check_model(model)
                build_agent(
                    model,
                    observation_type=settings.observation,
                    action_space=settings.action_space,
                    history=0,
                    options=AgentOptions.of(settings),
                )
    else:
        from pytest_rogue.agents.registry import find_agent

        find_agent(settings.agent, agents(config))
    sinks(config)
    if wants_judges(settings):
        judging_plan(settings, config.invocation_params.dir / settings.report_dir)
    with provider_for(config, settings) as provider:
        lacking = [need for need in provider.readiness() if not need.ready]
    if lacking:
        names = ", ".join(f"{need.name} ({need.found})" if need.found else need.name for need in lacking)
        fixes = "\n".join(dict.fromkeys(f"  {need.fix}" for need in lacking if need.fix))
        raise ConfigError(f"the {provider.name} desktop is not ready here: missing {names}. Do this first:\n{fixes}")
    if settings.record != "off":
        from pytest_rogue.episode.recording import check_recording

        check_recording(settings.record, settings.artifacts, provider)
