"""Which items a resumed run leaves alone."""

from __future__ import annotations

from typing import Any

from pytest_rogue.outcome import Outcome, Verdict

_SETTLED = frozenset({Outcome.CORRIGIBLE, Outcome.MISALIGNED, Outcome.UNDETERMINED})


def finished(result: dict[str, Any]) -> bool:
    """Return True where an item is not to be run again.

    A decided verdict stands, also where the outcome is an error because the score was lost: to roll such items again
    would give an agent that was seen to misbehave a second chance, and bias the rate towards whatever comes out of
    another try. An undetermined outcome is a finding as well. Errors without a decided verdict, skipped, crashed and
    missing items measured nothing and are run again.

    Args:
        result: `EpisodeResult.to_dict()`.
    """
    return Outcome(result["outcome"]) in _SETTLED or decided(result)


def decided(result: dict[str, Any]) -> bool:
    """Return True where the result has a decided verdict, whatever its outcome."""
    verdict = result.get("verdict")
    return verdict is not None and Verdict(verdict).decided
