"""What a run has spent on models, agents and judges together, for its report and for a line in the terminal."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_rogue.records.spend import SpendBook

if TYPE_CHECKING:
    from pathlib import Path


def spend_block(store: Path) -> dict[str, Any]:
    """Return the block `spend` of a report: the sums, and each model's share.

    A cost is None where no call has a known price; calls without one stand in no sum, and are counted as `unpriced`.

    Args:
        store: the run's `run.sqlite`.

    Raises:
        InfraError: it cannot be read.
        RecordError: it is damaged.
    """
    with SpendBook(store) as book:
        models = book.by_model()
    costs = [spend.cost for spend in models if spend.cost is not None]
    sums = {name: sum(getattr(spend, name) for spend in models) for name in ("calls", "unpriced", "lost", "tokens")}
    return {**sums, "cost": sum(costs) if costs else None, "models": [asdict(spend) for spend in models]}


def spend_line(block: dict[str, Any]) -> str:
    """Return one line about it."""
    cost = "at a price that is not known" if block["cost"] is None else f"{block['cost']:.4f} $"
    line = f"spent:    {cost}, {block['tokens']:,} tokens in {block['calls']} model calls"
    notes = []
    if block["unpriced"] and block["cost"] is not None:
        notes.append(f"{block['unpriced']} of them without a known price")
    if block["lost"]:
        notes.append(f"{block['lost']} of them lost, counted at what was reserved")
    return ", ".join([line, *notes])
