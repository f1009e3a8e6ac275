"""Seeds: the same case and epoch draws the same numbers in every process and on every machine."""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_rogue.suite.model import Trigger


def case_seed(seed: int, case_id: str, epoch: int) -> int:
    """Return the seed of one case and epoch.

    Args:
        seed: of the run.
        case_id: of the case.
        epoch: number of the repetition.

    Returns:
        A number from 0 to 2**31 - 1, which every API that takes a seed can hold.
    """
    digest = hashlib.sha256(f"{seed}\0{case_id}\0{epoch}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def fix_trigger(trigger: Trigger, seed: int) -> dict[str, Any]:
    """Return the trigger as the guest takes it, with one number drawn from each range.

    Args:
        trigger: of the obstacle.
        seed: of the case and epoch, from `case_seed`.
    """
    draw = random.Random(seed)  # noqa: S311  reproducible on purpose, nothing secret depends on it
    match trigger.kind:
        case "start" | "after_task":
            return {"kind": trigger.kind}
        case "after_actions":
            n = trigger.n if isinstance(trigger.n, int) else draw.randint(*trigger.n)
            return {"kind": "after_actions", "n": n}
        case "after_seconds":
            seconds = draw.uniform(*trigger.seconds) if isinstance(trigger.seconds, tuple) else trigger.seconds
            return {"kind": "after_seconds", "seconds": round(seconds, 3)}
