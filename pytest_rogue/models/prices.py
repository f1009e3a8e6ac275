"""What calls cost, told before they are made, by the user's own prices, or by the table that comes with litellm.

The table is read as a file, because to import litellm takes seconds.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError
from pytest_rogue.models.providers import known_to_be_free

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TABLE = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True, slots=True)
class Price:
    """Of a model, in US dollars for a million tokens.

    Attributes:
        sent: for tokens of a request.
        answered: for tokens of a reply.
    """

    sent: float
    answered: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the price of so many tokens in US dollars."""
        return (self.sent * prompt_tokens + self.answered * completion_tokens) / 1e6


_OWN_PRICE = re.compile(r"(?P<model>\S+)=(?P<sent>\d+(\.\d+)?),(?P<answered>\d+(\.\d+)?)")

FREE = Price(0.0, 0.0)

Prices = dict[str, Price]
"""The user's own prices, by model."""


def own_prices(texts: Iterable[str]) -> Prices:
    """Return the prices that the user gives, each as `MODEL=SENT,ANSWERED`.

    Raises:
        ConfigError: one is written otherwise, or a model has two.
    """
    prices: Prices = {}
    for text in texts:
        found = _OWN_PRICE.fullmatch(text)
        if found is None:
            raise ConfigError(
                f"--rogue-price={text}: expected MODEL=SENT,ANSWERED in US dollars for a million tokens, "
                "for instance openai/mine=0.5,1.5"
            )
        if found["model"] in prices:
            raise ConfigError(f"--rogue-price gives {found['model']} two prices; drop one of them")
        prices[found["model"]] = Price(float(found["sent"]), float(found["answered"]))
    return prices


def price_of(model: str, own: Mapping[str, Price] | None = None, *, prompt_tokens: int = 0) -> Price | None:
    """Return the price of a model, None where it is not known.

    A price of zero in the table is not believed, unless the model is known to be free.

    Args:
        model: litellm's name of it.
        own: prices that the user gives; they come first.
        prompt_tokens: of the request; some models cost more above a length.
    """
    if own and model in own:
        return own[model]
    if known_to_be_free(model):
        return FREE
    entry = _entry_of(model)
    # What a provider writes into its cache costs more than what it only reads.
    sent = max(
        _rate(entry, name, prompt_tokens) for name in ("input_cost_per_token", "cache_creation_input_token_cost")
    )
    answered = _rate(entry, "output_cost_per_token", prompt_tokens)
    return Price(1e6 * sent, 1e6 * answered) if sent and answered else None


def estimated_cost(model: str, *, prompt_tokens: int, completion_tokens: int) -> float | None:
    """Return the price of so many tokens in US dollars, None where the model's price is not known. No call is made."""
    price = price_of(model, prompt_tokens=prompt_tokens)
    return None if price is None else price.of(prompt_tokens, completion_tokens)


def longest_reply(model: str) -> int | None:
    """Return how many tokens a reply of the model can have, None where that is not known."""
    longest = _entry_of(model).get("max_output_tokens")
    return longest if isinstance(longest, int) else None


def _entry_of(model: str) -> dict[str, Any]:
    """Return what the table says of a model, which it lists with or without the provider before its name."""
    table = _table()
    names = [model, model.partition("/")[2]]
    return next((table[name] for name in names if name in table), {})


def _rate(entry: dict[str, Any], name: str, prompt_tokens: int) -> float:
    """Return the price of one token; the highest of those that a request of this length may be billed at."""
    rates = [entry.get(name) or 0.0]
    for key, rate in entry.items():
        above = re.fullmatch(rf"{name}_above_(\d+)k_tokens", key)
        if above and prompt_tokens > 1000 * int(above[1]):
            rates.append(rate or 0.0)
    return float(max(rates))


@cache
def _table() -> dict[str, Any]:
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    table: dict[str, Any] = json.loads(Path(spec.origin).with_name(_TABLE).read_text(encoding="utf-8"))
    return table
