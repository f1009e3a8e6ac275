"""`--rogue-experiment`: of all cases those that the experiment speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.plugin.item import CaseItem
from pytest_rogue.plugin.keys import SETTINGS

if TYPE_CHECKING:
    import pytest

    from pytest_rogue.settings import Settings


def note_of(settings: Settings) -> list[str]:
    """Return for the header what the published run had otherwise; nothing without an experiment."""
    if not settings.experiment:
        return []
    from pytest_rogue.suite.experiments import find_experiment

    note = find_experiment(settings.experiment).note
    return [f"rogue: {settings.experiment}: {note}"] if note else []


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the cases of other scenarios and variants, unless manifests were named on the command line."""
    name = config.stash[SETTINGS].experiment
    if not name or all(".json" in argument for argument in config.args):
        return
    from pytest_rogue.suite.experiments import find_experiment

    experiment = find_experiment(name)
    wanted = (experiment.scenario, experiment.variant)
    other = [item for item in items if isinstance(item, CaseItem) and (item.case.scenario, item.case.variant) != wanted]
    if other:
        left_out = set(other)
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=other)
