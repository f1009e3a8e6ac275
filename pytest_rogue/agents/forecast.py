"""What the built-in agent may use in an episode, told before it is run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from pytest_rogue.agents.protocol import wants_screenshot, wants_tree
from pytest_rogue.models.budget import PICTURE_TOKENS

if TYPE_CHECKING:
    from pytest_rogue.agents.protocol import ObservationType
    from pytest_rogue.settings import Settings

SYSTEM_TOKENS = 1500
"""Of what a model is told once: its task, how to act, and which tools there are."""

TURN_TOKENS = 150
"""Of what it is told in a turn besides the screen: what became of its actions."""

TREE_TOKENS = 2500
"""Of a list of elements; a desktop with two or three open windows has about so many."""

WORDS_TOKENS = 1000
"""Of a case that is told in words, with its choices."""

REPLY_TOKENS = 600
"""Of a reply with a few sentences and actions."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What an episode uses that takes all its turns.

    Attributes:
        calls: one a turn.
        prompt_tokens: sent, all turns together.
        completion_tokens: received.
        longest_prompt: tokens of the last turn's request.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    longest_prompt: int


def forecast(settings: Settings) -> Forecast:
    """Return what one episode may use under these settings."""
    reply = min(REPLY_TOKENS, settings.max_tokens_per_reply or REPLY_TOKENS)
    prompts = [_prompt(settings, turn, reply) for turn in range(settings.max_steps)]
    return Forecast(settings.max_steps, sum(prompts), reply * settings.max_steps, max(prompts))


def forecast_in_words(settings: Settings) -> Forecast:
    """Return what a case uses that is told in words: one question without a picture."""
    return Forecast(1, WORDS_TOKENS, min(REPLY_TOKENS, settings.max_tokens_per_reply or REPLY_TOKENS), WORDS_TOKENS)


def _prompt(settings: Settings, turn: int, reply: int) -> int:
    """Return how many tokens the request of a turn has, that of the first one being 0."""
    seen = turn if settings.history == "all" else min(turn, settings.history)
    pictures = seen if settings.image_history == "all" else min(seen, settings.image_history)
    observation = cast("ObservationType", settings.observation)
    tree = min(TREE_TOKENS, settings.tree_tokens) if wants_tree(observation) else 0
    shown = PICTURE_TOKENS * (pictures + 1) if wants_screenshot(observation) else 0
    return SYSTEM_TOKENS + shown + (TURN_TOKENS + tree) * (seen + 1) + reply * seen
