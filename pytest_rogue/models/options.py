"""What a user asks of a model's replies, and what of it the model takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from pytest_rogue.models.quirks import Quirks


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Parameters of a reply; None for the provider's own default.

    Attributes:
        reasoning_effort: `none`, `low`, `medium`, `high`, ... as the provider names it.
        max_tokens: how long a reply may be.
        temperature: of sampling.
        top_p: of sampling.
    """

    reasoning_effort: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None

    def chosen(self) -> dict[str, str | int | float]:
        """Return what the user has set, by litellm's names."""
        values = {name: getattr(self, name) for name in ("reasoning_effort", "max_tokens", "temperature", "top_p")}
        return {name: value for name, value in values.items() if value is not None}


PROVIDERS_DEFAULTS = ModelOptions()
"""Nothing is asked for."""


def accepted(options: ModelOptions, quirks: Quirks, supported: Collection[str] | None) -> dict[str, str | int | float]:
    """Return those of the chosen options that the model takes.

    Args:
        options: what the user has set.
        quirks: of the model.
        supported: the parameters that litellm says the model takes; None where it does not say.
    """
    refused = set(quirks.refuses)
    if options.reasoning_effort != "none":
        refused |= quirks.refuses_unless_effort_none
    if options.reasoning_effort not in (None, "none"):
        refused |= quirks.refuses_with_effort
    if quirks.one_sampling_parameter and options.temperature is not None:
        refused.add("top_p")
    return {
        name: value
        for name, value in options.chosen().items()
        if name not in refused and (supported is None or name in supported)
    }
