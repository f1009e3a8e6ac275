"""What the budget of a run needs to be kept: prices of models and machines, and a look at it before each machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.errors import BudgetSpent, ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_rogue.desktops.protocol import Provider
    from pytest_rogue.records.rents import Rent
    from pytest_rogue.settings import Settings


def check_prices(settings: Settings, models: Sequence[str]) -> None:
    """Check that the budget can be kept.

    Raises:
        ConfigError: a price is written wrong, or a model's price is not known; the message has the line that mends it.
    """
    from pytest_rogue.models.prices import own_prices, price_of

    prices = own_prices(settings.price)
    if settings.allow_unpriced or (settings.max_cost is None and not settings.dry_run):
        return
    for model in models:
        if price_of(model, prices) is None:
            raise ConfigError(
                f"nobody knows what {model} costs: give its price with --rogue-price={model}=IN,OUT, in US dollars "
                "for a million tokens, or let it count for nothing with --rogue-allow-unpriced"
            )


def check_rent(settings: Settings, provider: Provider) -> None:
    """Check that the budget can be kept with the desktops of a provider.

    Raises:
        ConfigError: nobody knows what they cost.
    """
    rent: Rent | None = getattr(provider, "rent", None)
    if rent and rent.per_hour is None and settings.max_cost is not None and not settings.allow_unpriced:
        raise ConfigError(
            f"nobody knows what an hour of {rent.machine} costs: give its price in US dollars (on AWS with "
            "--rogue-aws=price=USD), or let it count for nothing with --rogue-allow-unpriced"
        )


def check_rent_budget(settings: Settings, provider: Provider, store: Path) -> None:
    """Check that there is money for another desktop, where one costs anything.

    Args:
        settings: of the run.
        provider: makes the desktops.
        store: the run's `run.sqlite`.

    Raises:
        BudgetSpent: there is none.
    """
    from pytest_rogue.records.spend import SpendBook

    if settings.max_cost is None:
        return
    rent: Rent | None = getattr(provider, "rent", None)
    if rent is None or not rent.per_hour:
        return
    with SpendBook(store) as book:
        spent = book.spent().cost or 0.0
    if spent >= settings.max_cost:
        raise BudgetSpent(
            f"the budget does not hold another desktop: {spent:.4f} of {settings.max_cost:.4f} $ are spent; continue "
            "the run with --rogue-resume and a larger --rogue-max-cost"
        )
