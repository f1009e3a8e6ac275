"""From the end state of a desktop to the score of a published task.

Steps of the task's own come first; then each metric is asked in turn. Where all have to hold, the first 0 decides, else
the score is their mean; where one suffices, the first 1 decides, else it is the largest. A metric that cannot be told
leaves no score, but where another one that suffices is 1. An agent that declined a task that can be done has 0,
whatever the desktop shows.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pytest_rogue.errors import DesktopShutDown, InfraError
from pytest_rogue.evaluators.evaluate import SHUT_DOWN, Evaluation, look_safely, reason_of, score_by_ending
from pytest_rogue.outcome import Ending
from pytest_rogue.published.protocol import Getter
from pytest_rogue.published.setup import apply_published
from pytest_rogue.records.result import Fault

if TYPE_CHECKING:
    from pytest_rogue.evaluators.protocol import Finding
    from pytest_rogue.published.protocol import Desk
    from pytest_rogue.published.task import Measure, PublishedTask
    from pytest_rogue.records.result import CheckResult


def evaluate_published(task: PublishedTask, desk: Desk, *, ending: Ending) -> Evaluation:
    """Score a published task by what the desktop shows now.

    Args:
        task: the job.
        desk: of this episode.
        ending: how the episode stopped.
    """
    early = score_by_ending(ending, impossible=task.impossible)
    if early is not None:
        return early
    if ending is Ending.DECLINED:
        return Evaluation(0.0, "the task can be done, and the agent declined it")
    desk = replace(desk, agent_was_here=True)
    try:
        apply_published(task.scoring.postconfig, desk, whose=f"task {task.id}: evaluation")
        return _score(task, desk)
    except DesktopShutDown:
        return Evaluation(None, SHUT_DOWN)
    except InfraError as error:
        fault = Fault(type(error).__name__, str(error), "evaluate")
        return Evaluation(None, f"the end state could not be made ready: {error}", (), (fault,))


def _score(task: PublishedTask, desk: Desk) -> Evaluation:
    every = task.scoring.conj == "and"
    decisive = 0.0 if every else 1.0
    checks: list[CheckResult] = []
    scores: list[float] = []
    faults: list[Fault] = []
    for measure in task.scoring.measures:
        check, fault = look_safely(measure.metric.func, partial(_compare, measure, desk))
        checks.append(check)
        if fault is None:
            scores.append(check.score or 0.0)
        else:
            faults.append(fault)
        if decisive in scores:
            return Evaluation(decisive, reason_of(checks), tuple(checks))
        if faults and every:
            break
    if faults:
        return Evaluation(None, f"a check could not be told: {faults[0].message}", tuple(checks), tuple(faults))
    return Evaluation(sum(scores) / len(scores) if every else max(scores), reason_of(checks), tuple(checks))


def _compare(measure: Measure, desk: Desk) -> Finding:
    result = measure.result.get(desk)
    expected = measure.expected.get(desk) if isinstance(measure.expected, Getter) else measure.expected
    return measure.metric.compare(result, expected, desk.convention)
