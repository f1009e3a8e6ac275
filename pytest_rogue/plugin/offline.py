"""`--rogue-offline`: what the published tasks of this session would have to download first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.plugin.item import CaseItem
from pytest_rogue.published.supplies import Supplies
from pytest_rogue.published.task import PublishedTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from pytest_rogue.settings import Settings

SHOWN = 5


def missing_lines(settings: Settings, items: Sequence[pytest.Item]) -> list[str]:
    """Return how many files are missing and the first of them, a line each; nothing where none are."""
    tasks = [item.case.task for item in items if isinstance(item, CaseItem)]
    urls = [url for task in tasks if isinstance(task, PublishedTask) for url in task.urls]
    missing = Supplies.of(settings).downloads.missing(urls)
    if not missing:
        return []
    more = [f"  (and {len(missing) - SHOWN} more)"] if len(missing) > SHOWN else []
    return [
        f"rogue: offline: {len(missing)} files are missing (pytest-rogue published fetch FOLDER fetches them):",
        *(f"  {url}" for url in missing[:SHOWN]),
        *more,
    ]
