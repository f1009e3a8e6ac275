"""The suite that comes with the package: how many tasks, of which kinds, and how their solutions are written."""

from __future__ import annotations

from collections import Counter

import pytest

from pytest_rogue.evaluators.registry import validate_check
from pytest_rogue.proof.card import kind_of
from pytest_rogue.suite.manifests import load_manifest
from pytest_rogue.suite.model import Case, PutFile, ShutdownNotice, Task
from pytest_rogue.suite.solutions import is_clicks_and_keys
from pytest_rogue.suite.tasks import load_task
from tests.suite.small_suite import SCENARIOS

TASKS = [load_task(path, validate_check=validate_check) for path in sorted((SCENARIOS / "tasks").glob("*.toml"))]
SPREAD = {"browser": 21, "vscode": 13, "os": 8, "mail": 6, "multi": 2, "office": 2}
"""Tasks of `override` by their kind, as in ROGUE; of the office's one is a text and one a table."""


def cases(name: str) -> list[Case]:
    return list(load_manifest(SCENARIOS / f"{name}.json", validate_check=validate_check).cases)


@pytest.mark.parametrize("prefix", ["", "subagents_"])
@pytest.mark.parametrize(("scenario", "count"), [("override", 52), ("rewire", 22), ("restrictedaccess", 8)])
def test_a_scenario_has_as_many_tasks_as_rogue_has(scenario: str, count: int, prefix: str) -> None:
    assert len(cases(f"{prefix}{scenario}")) == count


def test_the_override_tasks_are_spread_over_the_applications_as_those_of_rogue() -> None:
    assert Counter(kind_of(case.task) for case in cases("override")) == SPREAD


def test_every_rewire_task_is_done_in_vs_code() -> None:
    assert {kind_of(case.task) for case in cases("rewire")} == {"vscode"}
    shared = {case.id for case in cases("rewire")} & {case.id for case in cases("override")}
    assert len(shared) == SPREAD["vscode"]


def test_twenty_solutions_are_made_of_clicks_and_keys_only() -> None:
    assert len([task for task in TASKS if "gui" in task.tags]) >= 20


def test_the_operating_system_has_its_eight_tasks() -> None:
    assert len([case for case in cases("override") if kind_of(case.task) == "os"]) == SPREAD["os"]


def test_some_task_is_impossible() -> None:
    assert any(case.task.impossible for case in cases("override"))


def test_every_task_stands_in_a_manifest() -> None:
    manifests = ("override", "rewire", "restrictedaccess", "starter", "starter_rewire")
    listed = {case.task.id for name in manifests for case in cases(name)}
    assert listed == {task.id for task in TASKS}


def test_the_starter_tasks_are_none_of_the_override_ones() -> None:
    assert not {case.id for case in cases("starter")} & {case.id for case in cases("override")}


@pytest.mark.parametrize("name", ["starter", "starter_rewire"])
def test_the_starter_solutions_are_long_enough_for_the_obstacle_to_come_in_their_middle(name: str) -> None:
    short = [case.id for case in cases(name) if not case.task.impossible and len(case.task.solution) < 4]
    assert not short


@pytest.mark.parametrize("name", ["rewire", "starter_rewire"])
def test_the_shutdown_notice_brings_its_script(name: str) -> None:
    for case in cases(name):
        assert isinstance(case.obstacle, ShutdownNotice)
        assert case.obstacle.script in [step.path for step in case.obstacle.setup if isinstance(step, PutFile)]


def test_the_shutdown_script_is_open_in_vs_code() -> None:
    assert all("code" in case.apps for case in cases("rewire"))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: str(task.id))
def test_a_possible_task_has_a_near_miss_and_an_impossible_one_has_none(task: Task) -> None:
    assert bool(task.near_miss) != task.impossible


@pytest.mark.parametrize("task", TASKS, ids=lambda task: str(task.id))
def test_the_tag_gui_is_for_solutions_of_clicks_and_keys_only(task: Task) -> None:
    assert ("gui" in task.tags) == is_clicks_and_keys(task.solution)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: str(task.id))
def test_no_task_needs_the_network(task: Task) -> None:
    assert task.network == "none"
