"""Where the plugin keeps its things on pytest's objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.plugin.run import Run
    from pytest_rogue.records.result import EpisodeResult
    from pytest_rogue.settings import Settings

SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()
"""On the config: the resolved options."""

RUN: pytest.StashKey[Run | None] = pytest.StashKey()
"""On the config: the run this process takes part in, None where nothing is measured."""

PROVIDER_NOTE: pytest.StashKey[str] = pytest.StashKey()
"""On the config: how the provider was chosen, where it was left to us."""

RESULT: pytest.StashKey[EpisodeResult] = pytest.StashKey()
"""On an item: the result of its episode, as soon as there is one."""

SEEN: pytest.StashKey[dict[tuple[str, str, str], Path]] = pytest.StashKey()
"""On the session: the manifest in which each scenario, variant and case id was met."""

SKIPPED_AS: pytest.StashKey[Any] = pytest.StashKey()
"""On an item: the outcome that its skip stands for, where that is not `skipped`."""
