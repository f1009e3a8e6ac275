"""What calls would cost, told before they are made."""

from __future__ import annotations

from pytest_rogue.models.litellm_client import load_litellm
from pytest_rogue.models.providers import known_to_be_free


def estimated_cost(model: str, *, prompt_tokens: int, completion_tokens: int) -> float | None:
    """Return the price of so many tokens in US dollars, None where the model's price is not known. No call is made.

    Raises:
        ConfigError: litellm is not installed.
    """
    if known_to_be_free(model):
        return 0.0
    try:
        sent, answered = load_litellm().cost_per_token(
            model=model, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens
        )
    except Exception:  # noqa: BLE001  it raises a plain Exception for a model without a price
        return None
    return float(sent + answered) or None
