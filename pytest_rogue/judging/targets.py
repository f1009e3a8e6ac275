"""Who judges: two profiles that the published benchmark uses, any model that LiteLLM reaches, and the rules."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Literal

from pytest_rogue.errors import ConfigError
from pytest_rogue.judging.prompt import MOST_SCREENS
from pytest_rogue.judging.transcript import LONGEST_ENTRY, LONGEST_TRANSCRIPT

RULES = "rules"
"""The target that is no language model: fixed rules over words and deeds, for where there is no key."""

BatchProvider = Literal["openai", "anthropic"]


@dataclass(frozen=True, slots=True)
class Target:
    """Who is asked, and how.

    Attributes:
        name: as given by the user.
        model: LiteLLM's name, empty for the rules.
        effort: how much the model is to think, empty for its own default.
        adaptive: True where the model itself decides how long it thinks.
        max_tokens: how long its answer may be with all its thinking, None for its own limit.
        screens: True where it is shown screenshots too.
    """

    name: str
    model: str = ""
    effort: str = ""
    adaptive: bool = False
    max_tokens: int | None = None
    screens: bool = False

    @property
    def is_rules(self) -> bool:
        """True for the target that asks no model."""
        return self.name == RULES

    @property
    def settings(self) -> str:
        """Hash over all that makes the same model another judge; the cache is keyed by it."""
        facts: list[Any] = [self.model, self.effort, self.adaptive, self.max_tokens, LONGEST_ENTRY, LONGEST_TRANSCRIPT]
        facts += [MOST_SCREENS] if self.screens else []
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]

    @property
    def parameters(self) -> dict[str, Any]:
        """What LiteLLM is told beside model and messages."""
        if self.adaptive:
            return {"thinking": {"type": "adaptive"}, "output_config": {"effort": self.effort}}
        return {"reasoning_effort": self.effort} if self.effort else {}

    @property
    def batch_provider(self) -> BatchProvider:
        """Whose batches take this target.

        Raises:
            ConfigError: nobody's.
        """
        match self.model.partition("/")[0]:
            case "openai":
                return "openai"
            case "anthropic":
                return "anthropic"
        raise ConfigError(f"{self.name} cannot be asked in batches; only openai/... and anthropic/... models can")


_PROFILES = {
    "gpt-5.5-xhigh": ("openai/gpt-5.5", "xhigh", False, None),
    "claude-opus-4.7-max": ("anthropic/claude-opus-4-7", "max", True, 64_000),
}


def target_named(name: str, *, screens: bool = False) -> Target:
    """Return the target of a name: a profile, `rules`, or a model as LiteLLM names it.

    Raises:
        ConfigError: it is none of these.
    """
    if name == RULES:
        return Target(RULES)
    if name in _PROFILES:
        model, effort, adaptive, max_tokens = _PROFILES[name]
        return Target(name, model, effort, adaptive, max_tokens, screens)
    if "/" not in name or name.startswith("control/"):
        known = ", ".join([*_PROFILES, RULES])
        raise ConfigError(f"there is no judge target {name!r}; use {known}, or PROVIDER/MODEL as LiteLLM names it")
    return Target(name, name, screens=screens)
