"""What a room needs on this machine, for `pytest-rogue doctor`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Readiness:
    """One thing that is needed: is it there, what was found, and the line that mends it."""

    name: str
    ready: bool
    found: str = ""
    fix: str = ""
