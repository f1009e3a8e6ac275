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


PLAYED = [(name, replay) for name, task in TASKS.items() for replay in ((False,) if task.impossible else (False, True))]
"""An impossible task has nothing that could be played twice."""


@pytest.mark.parametrize(("name", "replay"), PLAYED)
def test_a_task_of_the_embedded_desktop_is_proven(name: str, replay: bool) -> None:
    (proof,) = prove_all([(TASKS[name], SCENARIOS / "assets")], LocalProvider(), at_once=1, replay=replay)
    assert proof.result == "proven", "; ".join(map(str, proof.findings)) or proof.skipped
