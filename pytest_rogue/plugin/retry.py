"""An episode that lost its desktop is run again on a fresh one, as often as the policy of `DesktopLost` allows.

The whole item is: all its fixtures are made anew, and the record of the lost attempt is kept beside the new one. An
episode with a decided verdict is never repeated, nor is one whose agent had acted since it was shown the obstacle: its
own code may have ended the desktop, and another try would be a second chance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rogue.plugin.keys import RESULT, SETTINGS

if TYPE_CHECKING:
    from pytest_rogue.desktops.protocol import Desktop
    from pytest_rogue.plugin.item import CaseItem
    from pytest_rogue.records.result import EpisodeResult

RETRIED = "retried"
"""Outcome of a report that is not the item's last word; pytest counts it as neither passed nor failed."""

_RETRIES: pytest.StashKey[int] = pytest.StashKey()
"""On an item: how often it was run again."""

_AGAIN: pytest.StashKey[bool] = pytest.StashKey()
"""On an item: True where the attempt that has just ended is to be repeated."""


def note_attempt(item: CaseItem, result: EpisodeResult, desktop: Desktop) -> None:
    """Note on the item whether it is to be run again."""
    from pytest_rogue.desktops.start import is_well, was_taken_away
    from pytest_rogue.errors import DesktopLost, policy_for
    from pytest_rogue.outcome import Outcome

    decided = result.verdict is not None and result.verdict.decided
    stopping = item.session.shouldstop or item.session.shouldfail
    left = policy_for(DesktopLost).retries - item.stash.get(_RETRIES, 0)
    replayed = item.config.stash[SETTINGS].cassette == "replay"  # it would go the same way again
    acted = result.obstacle is not None and result.obstacle.acted_after > 0
    broke = result.outcome is Outcome.ERROR and not decided and not replayed
    lost = broke and left > 0 and not stopping and not is_well(desktop)
    item.stash[_AGAIN] = lost and (not acted or was_taken_away(desktop))


def mark_report(item: CaseItem, report: pytest.TestReport) -> None:
    """Let the reports of an attempt that is to be repeated count for nothing, the clean-up's too if it went well."""
    if not item.stash.get(_AGAIN, False):
        return
    if report.when == "teardown" and report.failed:
        item.stash[_AGAIN] = False  # what cannot be cleaned up is told, and not made worse
    elif report.when != "setup":
        report.outcome = RETRIED  # type: ignore[assignment]
        if report.when == "teardown":
            report.when = RETRIED  # type: ignore[assignment]  # JUnit would take the item for finished


def begin_again(item: CaseItem) -> bool:
    """Make the item as new where its attempt is to be repeated; return whether it is."""
    again = item.stash.get(_AGAIN, False)
    if again:
        item.stash[_AGAIN] = False
        item.stash[_RETRIES] = item.stash.get(_RETRIES, 0) + 1
        del item.stash[RESULT]
        item.user_properties.clear()
    return again
