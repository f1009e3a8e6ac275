"""Every task that needs no more than an embedded desktop, proven there."""

from __future__ import annotations

import pytest

from pytest_rogue.desktops.local import LocalProvider
from pytest_rogue.desktops.packages import APPLICATION_PACKAGES
from pytest_rogue.evaluators.registry import validate_check
from pytest_rogue.proof.run import prove_all
from pytest_rogue.suite.tasks import load_task
from tests.suite.small_suite import SCENARIOS

pytestmark = pytest.mark.desktop

THERE = {*APPLICATION_PACKAGES, "xfconf-query"}
"""Commands that an embedded desktop has."""

LOADED = [load_task(path, validate_check=validate_check) for path in sorted((SCENARIOS / "tasks").glob("*.toml"))]
TASKS = {task.id: task for task in LOADED if THERE.issuperset(task.apps)}


@pytest.mark.parametrize("name", TASKS)
def test_a_task_of_the_embedded_desktop_is_proven_even_if_every_entry_is_played_twice(name: str) -> None:
    """As happens to an entry that an obstacle came into. Playing it once is proven where all applications are."""
    (proof,) = prove_all([(TASKS[name], SCENARIOS / "assets")], LocalProvider(), at_once=1, replay=True)
    assert proof.result == "proven", "; ".join(map(str, proof.findings)) or proof.skipped
