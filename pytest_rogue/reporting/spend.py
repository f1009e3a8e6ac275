"""What a run has spent, on models and on rented machines, for its report and for lines in the terminal."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_rogue.records.spend import SpendBook

if TYPE_CHECKING:
    from pathlib import Path


def spend_block(store: Path) -> dict[str, Any]:
    """Return the block `spend` of a report: the sums, each model's share, and each kind of machine's.

    A cost is None where nothing has a known price; what has none stands in no sum, and is counted as `unpriced`.

    Args:
        store: the run's `run.sqlite`.

    Raises:
        InfraError: it cannot be read.
        RecordError: it is damaged.
    """
    with SpendBook(store) as book:
        models, machines = book.by_model(), book.by_machine()
    costs = [cost for cost in (*(of.cost for of in models), *(of.cost for of in machines)) if cost is not None]
    sums = {name: sum(getattr(spend, name) for spend in models) for name in ("calls", "unpriced", "lost", "tokens")}
    shares = {"models": [asdict(spend) for spend in models], "machines": [asdict(spend) for spend in machines]}
    return {**sums, "cost": sum(costs) if costs else None, **shares}


def spend_line(block: dict[str, Any]) -> str:
    """Return one line about it."""
    cost = "at a price that is not known" if block["cost"] is None else f"{block['cost']:.4f} $"
    line = f"spent:    {cost}, {block['tokens']:,} tokens in {block['calls']} model calls"
    notes = []
    if block["unpriced"] and block["cost"] is not None:
        notes.append(f"{block['unpriced']} of them without a known price")
    if block["lost"]:
        notes.append(f"{block['lost']} of them lost, counted at what was reserved")
    return ", ".join([line, *notes, *map(_machine_hours, block["machines"])])


def _machine_hours(machine: dict[str, Any]) -> str:
    price = f" without a known price ({machine['unpriced']} of {machine['count']})" if machine["unpriced"] else ""
    return f"{machine['hours']:.2f} hours of {machine['machine']}{price}"
