"""From the names a user gives to an agent."""

from __future__ import annotations

import importlib
import inspect
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

from pytest_rogue.agents.command import EXEC, CommandAgent, command_line
from pytest_rogue.agents.controls import CONTROLS, DelegatingControl
from pytest_rogue.agents.options import AgentOptions
from pytest_rogue.agents.osworld import OSWorldAgent, is_osworld_agent
from pytest_rogue.agents.protocol import Agent, ObservationType
from pytest_rogue.agents.subagents import Delegation, prompts_at
from pytest_rogue.errors import ConfigError
from pytest_rogue.models.making import make_client as client_in_this_process

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_rogue.models.client import ModelClient
    from pytest_rogue.models.options import ModelOptions


def build_agent(
    model: str,
    *,
    observation_type: str,
    action_space: str,
    history: int | None,
    options: AgentOptions | None = None,
    agent: str | None = None,
    registered: Mapping[str, Callable[..., Any]] | None = None,
    prompts: tuple[str, ...] = (),
    subagents: bool = False,
    subagent_history: bool = False,
    make_client: Callable[[str, ModelOptions], ModelClient] | None = None,
) -> Agent:
    """Return a new agent. litellm is not imported before the agent's first model call.

    Args:
        model: litellm's name of a model, or a control (`control/compliant`, ...).
        observation_type: what the agent is shown, one of `ObservationType`.
        action_space: how it says what to do.
        history: how many earlier turns a model sees again, None for all.
        options: whatever else can be set.
        agent: see `find_agent`; None for a control if `model` names one, else for the built-in agent. Whoever makes it
            is called with those of `model`, `observation_type`, `action_space`, `history`, `options`, `prompts` and
            `make_client` that it takes.
        registered: agents that plugins bring, by name.
        prompts: what a language model is told besides the task, by name.
        subagents: True where the agent may delegate; whoever makes it is then called once for each subagent, too.
        subagent_history: True where a subagent sees the turns of the agent that delegates, if it can.
        make_client: from a model's name and options to its client; None to call models from this process.

    Raises:
        ConfigError: there is no such agent, or it is not one.
    """
    shown = _observation_type(observation_type)
    settings = {
        "model": model,
        "observation_type": shown,
        "action_space": action_space,
        "history": history,
        "prompts": prompts,
        "options": options or AgentOptions(),
        "make_client": make_client or client_in_this_process,
    }
    if agent is None:
        name, factory = model, CONTROLS[model] if check_control_name(model) else _language_model_agent
    else:
        name, factory = agent, find_agent(agent, registered)
    if not subagents:
        return _made(name, factory, settings)

    def at_depth(depth: int) -> Agent:
        if name in CONTROLS and depth == 0:
            return DelegatingControl(observation_type=_made(name, factory, settings).observation_type)
        return _made(name, factory, settings | {"prompts": (*prompts, *prompts_at(depth))})

    return Delegation(at_depth, pass_history=subagent_history)


def _made(name: str, factory: Callable[..., Any], settings: dict[str, Any]) -> Agent:
    made = factory(**_accepted(name, factory, settings))
    if is_osworld_agent(made):
        made = OSWorldAgent(made, observation_type=settings["observation_type"], prompts=settings["prompts"])
    if not isinstance(made, Agent):
        raise ConfigError(
            f"{name} is not an agent: it needs observation_type, reset(briefing) and act(observation), "
            "or predict(instruction, obs) as OSWorld's agents have it"
        )
    return made


def _observation_type(name: str) -> ObservationType:
    known: tuple[ObservationType, ...] = get_args(ObservationType)
    for observation_type in known:
        if observation_type == name:
            return observation_type
    raise ConfigError(f"there is no observation {name!r}; choose one of: {', '.join(known)}")


def check_control_name(name: str) -> bool:
    """Return whether `name` is that of a control agent, which calls no model.

    Raises:
        ConfigError: it begins like one, but there is none of that name.
    """
    if not name.startswith("control/"):
        return False
    if name not in CONTROLS:
        near = get_close_matches(name, CONTROLS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"choose one of: {', '.join(CONTROLS)}"
        raise ConfigError(f"there is no control agent {name!r}; {hint}")
    return True


def find_agent(name: str, registered: Mapping[str, Callable[..., Any]] | None = None) -> Callable[..., Any]:
    """Return who makes the agent of that name.

    Args:
        name: `package.module:Class`, `exec:COMMAND`, the name of an agent that a plugin brings, or a control.
        registered: agents that plugins bring, by name.

    Raises:
        ConfigError: there is none, or its module cannot be imported.
    """
    if name.startswith(EXEC):
        return partial(CommandAgent, command_line(name.removeprefix(EXEC)))
    known = {**CONTROLS, **(registered or {})}
    if name in known:
        return known[name]
    check_control_name(name)
    module_name, _, attribute = name.partition(":")
    if not (module_name and attribute):
        raise ConfigError(
            f"there is no agent {name!r}; write package.module:Class, exec:COMMAND, or one of: {', '.join(known)}"
        )
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise ConfigError(
            f"the agent {name} cannot be imported ({type(error).__name__}: {error}); "
            f"is {module_name} on the Python path and free of errors?"
        ) from error
    factory: Callable[..., Any] | None = getattr(module, attribute, None)
    if not callable(factory):
        raise ConfigError(f"the agent {name} cannot be found: {module_name} has no class {attribute!r}")
    return factory


def _language_model_agent(
    *,
    model: str,
    observation_type: ObservationType,
    action_space: str,
    history: int | None,
    options: AgentOptions,
    prompts: tuple[str, ...],
    make_client: Callable[[str, ModelOptions], ModelClient],
) -> Agent:
    from pytest_rogue.agents.llm import LiteLLMAgent
    from pytest_rogue.models.quirks import quirks_of

    return LiteLLMAgent(
        make_client(model, options.model),
        observation_type=observation_type,
        history=history,
        action_space=action_space,
        options=options,
        quirks=quirks_of(model),
        prompts=prompts,
    )


def _accepted(name: str, factory: Callable[..., Any], settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that the factory takes by keyword."""
    parameters = inspect.signature(factory).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return settings
    by_keyword = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    unknown = [p.name for p in by_keyword if p.default is p.empty and p.name not in settings]
    if unknown:
        raise ConfigError(f"the agent {name} asks for {', '.join(unknown)}; it can be given: {', '.join(settings)}")
    return {p.name: settings[p.name] for p in by_keyword if p.name in settings}
