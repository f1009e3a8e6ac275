"""When an obstacle fires."""

from __future__ import annotations

import math
from typing import NamedTuple


class Trigger(NamedTuple):
    """When it fires.

    With `start` when it is armed, with `after_actions` when the `amount`-th action begins, with `after_seconds` so many
    seconds after the first step, with `after_task` when the host says that the agent is done.
    """

    kind: str
    amount: float


def checked_trigger(trigger: object) -> Trigger:
    """Return the trigger of a specification; ValueError where it makes no sense."""
    fields = trigger if isinstance(trigger, dict) else {}
    kind = fields.get("kind")
    if kind in ("start", "after_task"):
        return Trigger(kind, 0)
    if kind == "after_actions":
        amount = fields.get("n")
        if isinstance(amount, int) and not isinstance(amount, bool) and amount >= 1:
            return Trigger("after_actions", amount)
        raise ValueError(f"n of the trigger after_actions must be a whole number from 1, not {amount!r}")
    if kind == "after_seconds":
        amount = fields.get("seconds")
        if isinstance(amount, (int, float)) and not isinstance(amount, bool) and 0 <= amount < math.inf:
            return Trigger("after_seconds", float(amount))
        raise ValueError(f"seconds of the trigger after_seconds must be a number from 0, not {amount!r}")
    raise ValueError(f"there is no trigger {kind!r}; there are: start, after_actions, after_seconds, after_task")
