"""What a run may spend: reserved before each call, settled after it, for all who ask in one book.

A call that does not fit beside what is under way waits, since most calls use less than was reserved for them. The
budget is spent when a call does not fit though nothing is under way.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import BudgetSpent
from pytest_rogue.models.prices import longest_reply, price_of
from pytest_rogue.records.spend import Amount

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_rogue.interaction import Usage
    from pytest_rogue.models.client import Message
    from pytest_rogue.models.prices import Price
    from pytest_rogue.records.spend import SpendBook, State

PICTURE_TOKENS = 3000
"""What a picture is taken for; a screen of 1920 x 1080 has 2,765 by Anthropic's formula, and fewer with others."""

CHARACTERS_PER_TOKEN = 3
"""Of text; English has about 4, code and other languages fewer."""

USUAL_REPLY = 8000
"""Tokens of a reply, its reasoning included, where neither the user nor the model sets a lower bound."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use; None for no limit.

    Attributes:
        cost: in US dollars.
        tokens: sent and received together.
    """

    cost: float | None = None
    tokens: int | None = None

    def hold(self, spent: Amount) -> bool:
        """True where so much may be spent."""
        enough = self.tokens is None or spent.tokens <= self.tokens
        return enough and (self.cost is None or (spent.cost or 0.0) <= self.cost)


class Budget:
    """Lets calls be made as long as they fit.

    Args:
        book: where calls are written down.
        limits: what the run may use, what it used in earlier sessions included.
    """

    def __init__(self, book: SpendBook, limits: Limits) -> None:
        self._book = book
        self._limits = limits
        self._changed = threading.Condition()
        self._under_way = 0

    def reserve(self, call: str, model: str, amount: Amount) -> None:
        """Wait until a call fits, and write it down.

        Raises:
            BudgetSpent: it will not fit any more; the message says what was spent.
        """
        with self._changed:
            while not self._limits.hold(_sum(spent := self._book.spent(), amount)):
                if not self._under_way:
                    raise BudgetSpent(self._sentence(spent, amount))
                self._changed.wait()
            self._book.ask(call, model, amount)
            self._under_way += 1

    def settle(self, call: str, state: State, spent: Amount, answer: dict[str, Any]) -> None:
        """Write down how a call ended, which may let another one begin."""
        with self._changed:
            try:
                self._book.end(call, state, spent, answer)
            finally:
                self._under_way -= 1
                self._changed.notify_all()

    def _sentence(self, spent: Amount, amount: Amount) -> str:
        if self._limits.cost is not None and not Limits(cost=self._limits.cost).hold(_sum(spent, amount)):
            option, limit = "--rogue-max-cost", f"{spent.cost:.4f} of {self._limits.cost:.4f} $"
            next_one = f"{amount.cost or 0.0:.4f} $"
        else:
            option, limit = "--rogue-max-tokens", f"{spent.tokens:,} of {self._limits.tokens:,} tokens"
            next_one = f"{amount.tokens:,} tokens"
        return (
            f"the budget does not hold another call: {limit} are spent, and the next call may take {next_one}; "
            f"continue the run with --rogue-resume and a larger {option}"
        )


def foreseen(
    model: str,
    messages: Sequence[Message],
    tools: Sequence[Message] = (),
    *,
    longest: int | None,
    own_prices: Mapping[str, Price],
) -> Amount:
    """Return what a call may use.

    Args:
        model: litellm's name of who is asked.
        messages: the conversation.
        tools: that are offered.
        longest: tokens that the reply may have, None where none are asked for.
        own_prices: that the user gives.
    """
    sent = _tokens_in(messages) + _tokens_in(tools)
    answered = longest or min(USUAL_REPLY, longest_reply(model) or USUAL_REPLY)
    price = price_of(model, own_prices, prompt_tokens=sent)
    return Amount(sent + answered, None if price is None else price.of(sent, answered))


def spent_by(model: str, usage: Usage, *, own_prices: Mapping[str, Price]) -> Amount:
    """Return what a call used.

    Args:
        model: litellm's name of who was asked.
        usage: as the client has counted it; where it knows no cost, the tokens that were counted are priced.
        own_prices: that the user gives; they come before litellm's.
    """
    tokens = usage.prompt_tokens + usage.completion_tokens
    if usage.cost is not None and model not in own_prices:
        return Amount(tokens, usage.cost)
    price = price_of(model, own_prices, prompt_tokens=usage.prompt_tokens)
    return Amount(tokens, None if price is None else price.of(usage.prompt_tokens, usage.completion_tokens))


def _sum(one: Amount, other: Amount) -> Amount:
    return Amount(one.tokens + other.tokens, (one.cost or 0.0) + (other.cost or 0.0))


def _tokens_in(messages: Sequence[Message]) -> int:
    """Estimate how many tokens messages have; a picture is a long `data:` address to look at."""
    pictures = 0

    def without_picture(part: Any) -> Any:
        nonlocal pictures
        if isinstance(part, str) and part.startswith("data:image/"):
            pictures += 1
            return ""
        if isinstance(part, dict):
            return {name: without_picture(value) for name, value in part.items()}
        return [without_picture(item) for item in part] if isinstance(part, list) else part

    text = json.dumps([without_picture(message) for message in messages], ensure_ascii=False)
    return len(text) // CHARACTERS_PER_TOKEN + pictures * PICTURE_TOKENS
