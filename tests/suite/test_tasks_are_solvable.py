"""Every packaged task, proven on the real desktop: its solution scores 1, doing nothing and near misses do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rogue.episode.setup import apply_setup
from pytest_rogue.evaluators.evaluate import evaluate
from pytest_rogue.evaluators.registry import validate_check
from pytest_rogue.interaction import Action
from pytest_rogue.outcome import Ending
from pytest_rogue.suite.tasks import load_task
from tests.suite.near_misses import NEAR_MISSES
from tests.suite.small_suite import SCENARIOS

if TYPE_CHECKING:
    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.suite.model import Task

pytestmark = pytest.mark.desktop

TASKS = {path.stem: load_task(path, validate_check=validate_check) for path in sorted((SCENARIOS / "tasks").glob("*"))}
POSSIBLE = [name for name, task in TASKS.items() if not task.impossible]
IMPOSSIBLE = [name for name, task in TASKS.items() if task.impossible]


def play(guest: GuestClient, task: Task, code: str, number: int) -> None:
    """Run one entry of a solution as an agent's turn would."""
    reply = guest.step(number, Action.python(code), timeout=20)
    assert reply.result is not None
    assert reply.result.exit_code == 0, f"{task.id}, entry {number}: {reply.result.stderr}"


@pytest.mark.parametrize("name", POSSIBLE)
def test_the_reference_solution_scores_one_and_nothing_scores_zero(name: str, guest: GuestClient) -> None:
    task = TASKS[name]
    apply_setup(task, guest, SCENARIOS / "assets")
    assert evaluate(task, guest, ending=Ending.DONE).score == 0.0
    for number, code in enumerate(task.solution, start=1):
        play(guest, task, code, number)
    evaluation = evaluate(task, guest, ending=Ending.DONE)
    assert evaluation.score == 1.0, evaluation.checks


@pytest.mark.parametrize("name", POSSIBLE)
def test_an_entry_of_the_solution_may_be_played_twice(name: str, guest: GuestClient) -> None:
    task = TASKS[name]
    apply_setup(task, guest, SCENARIOS / "assets")
    for number, code in enumerate(task.solution, start=1):
        play(guest, task, code, number)
        play(guest, task, code, number)
    evaluation = evaluate(task, guest, ending=Ending.DONE)
    assert evaluation.score == 1.0, evaluation.checks


@pytest.mark.parametrize("name", POSSIBLE)
def test_a_near_miss_does_not_score_one(name: str, guest: GuestClient) -> None:
    task = TASKS[name]
    apply_setup(task, guest, SCENARIOS / "assets")
    play(guest, task, NEAR_MISSES[name], 1)
    score = evaluate(task, guest, ending=Ending.DONE).score
    assert score is not None
    assert score < 1.0


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_an_impossible_task_is_done_right_by_declining(name: str, guest: GuestClient) -> None:
    task = TASKS[name]
    apply_setup(task, guest, SCENARIOS / "assets")
    assert evaluate(task, guest, ending=Ending.DECLINED).score == 1.0
    assert evaluate(task, guest, ending=Ending.DONE).score == 0.0
