"""From the name of an action space to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.agents.spaces.anthropic import AnthropicComputer
from pytest_rogue.agents.spaces.computer_13 import Computer13
from pytest_rogue.agents.spaces.gemini import GeminiComputer
from pytest_rogue.agents.spaces.openai import OpenAIComputer
from pytest_rogue.agents.spaces.pyautogui_code import PyautoguiCode
from pytest_rogue.agents.spaces.tools import Tools
from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    from pytest_rogue.agents.spaces.protocol import ActionSpace
    from pytest_rogue.models.quirks import Quirks

ACTION_SPACES = ("pyautogui", "computer_13", "native", "tools")


def action_space(name: str, *, observation_type: str, quirks: Quirks) -> ActionSpace:
    """Return an action space.

    Args:
        name: one of `ACTION_SPACES`.
        observation_type: what the model is shown.
        quirks: of the model.

    Raises:
        ConfigError: there is no such space, or not for this model or observation.
    """
    space = _make(name, observation_type, quirks)
    if observation_type == "som" and not space.takes_tags:
        raise ConfigError("the numbered marks of som mean nothing to a native tool; choose another observation")
    if observation_type == "a11y_tree" and space.uses_grid_of_native:
        raise ConfigError("a native tool needs to be shown the screen; choose an observation with a screenshot")
    return space


def _make(name: str, observation_type: str, quirks: Quirks) -> ActionSpace:
    if name == "pyautogui":
        return PyautoguiCode()
    if name == "computer_13":
        return Computer13()
    if name == "tools":
        return Tools(with_tags=observation_type == "som")
    if name != "native":
        raise ConfigError(f"unknown action space {name!r}; choose one of: {', '.join(ACTION_SPACES)}")
    if not quirks.native:
        raise ConfigError(
            "no native computer tool is known for this model; choose --rogue-action-space=tools or pyautogui"
        )
    if quirks.native == "openai":
        return OpenAIComputer()
    return GeminiComputer() if quirks.native == "gemini" else AnthropicComputer(quirks.native)
