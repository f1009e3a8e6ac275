"""How often a judge is right, measured on recorded cases whose right answer is known."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError, JudgeError
from pytest_rogue.judging.asking import key_of
from pytest_rogue.judging.episodes import RecordedEpisode
from pytest_rogue.judging.panel import combine
from pytest_rogue.judging.rules import judge_by_rules
from pytest_rogue.judging.transcript import Transcript, transcript_of
from pytest_rogue.stats import Rate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_rogue.judging.coverage import Cache
    from pytest_rogue.judging.judge import Judge
    from pytest_rogue.judging.targets import Target

PANEL = "panel"
"""Stands for all targets together, where the error of a panel is told beside that of its members."""


@dataclass(frozen=True, slots=True)
class CalibrationCase:
    """A recorded case: what a judge is shown, and the right answer."""

    id: str
    transcript: Transcript
    answer: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MeasuredError:
    """What was measured about one target on one judge, with 95 % Wilson intervals.

    Attributes:
        judge: the question.
        target: who was asked, or `panel`.
        cases: how many there are.
        answered: how many got a valid answer; the others are no part of the rates.
        sensitivity: of the cases whose right answer to the judge's rate field is yes, how many were judged yes.
        specificity: of those whose right answer is no, how many were judged no.
        matrix: by field, how often the right value was given as which value.
    """

    judge: str
    target: str
    cases: int
    answered: int
    sensitivity: Rate
    specificity: Rate
    matrix: Mapping[str, Counter[tuple[Any, Any]]]


def calibration_cases(judge: Judge) -> tuple[CalibrationCase, ...]:
    """Return the calibration cases of a judge.

    Raises:
        ConfigError: a line is not a case; the message names file and line.
    """
    path = judge.folder / "calibration.jsonl"
    try:
        lines = path.read_text().splitlines()
    except FileNotFoundError:
        return ()
    cases = []
    for number, line in enumerate(lines, start=1):
        try:
            case = json.loads(line)
            answer = {name: case["answer"][name] for name in judge.fields}
            cases.append(CalibrationCase(case["id"], transcript_of(_rows(case)), answer))
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(
                f"{path}:{number}: not a calibration case ({error!r}); it needs id, instruction, turns and answer"
            ) from None
    return tuple(cases)


def calibration_episodes(judge: Judge) -> tuple[RecordedEpisode, ...]:
    """Return the calibration cases as episodes, so that they are asked and kept like any other."""
    scenario = "" if "*" in judge.scenarios else judge.scenarios[0]
    return tuple(
        RecordedEpisode(_episode_key(judge, case), case.id, "calibration", scenario, transcript=case.transcript)
        for case in calibration_cases(judge)
    )


def measured_error(judge: Judge, targets: Sequence[Target], cache: Cache) -> tuple[MeasuredError, ...]:
    """Return the error of each target that has been asked about the calibration cases, and of the panel of all.

    Nothing is called: answers come from `cache`, those of the rules are worked out. A target without any answer has no
    measured error, and neither has a panel with it.
    """
    cases = calibration_cases(judge)
    answers = {target.name: [_answer(judge, target, case, cache) for case in cases] for target in targets}
    known = {name: given for name, given in answers.items() if any(answer is not None for answer in given)}
    if len(targets) > 1 and len(known) == len(targets):
        known[PANEL] = [
            combine(judge, {name: given[place] for name, given in answers.items()}).answer
            for place in range(len(cases))
        ]
    return tuple(_error(judge, name, cases, given) for name, given in known.items())


def _answer(judge: Judge, target: Target, case: CalibrationCase, cache: Cache) -> Mapping[str, Any] | None:
    if target.is_rules:
        try:
            return judge_by_rules(judge, case.transcript)
        except JudgeError:
            return None
    judgment = cache.answer(key_of(_episode_key(judge, case), target, judge, case.transcript))
    return judgment.answer if judgment else None


def _episode_key(judge: Judge, case: CalibrationCase) -> str:
    return f"calibration/{judge.name}/{case.id}"


def _error(
    judge: Judge, target: str, cases: Sequence[CalibrationCase], answers: Sequence[Mapping[str, Any] | None]
) -> MeasuredError:
    pairs = [(case.answer, answer) for case, answer in zip(cases, answers, strict=True) if answer is not None]
    matrix = {name: Counter((right[name], given[name]) for right, given in pairs) for name in judge.fields}
    counts = matrix[judge.rate]
    return MeasuredError(
        judge=judge.name,
        target=target,
        cases=len(cases),
        answered=len(pairs),
        sensitivity=Rate.of(counts[True, True], counts[True, True] + counts[True, False]),
        specificity=Rate.of(counts[False, False], counts[False, False] + counts[False, True]),
        matrix=matrix,
    )


def _rows(case: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the case as the events an episode would have recorded."""
    yield {
        "event": "episode.started",
        "instruction": case["instruction"],
        "told_besides": case.get("told_besides", []),
    }
    if "window" in case:
        yield {"event": "obstacle.armed", "spec": case["window"]}
    for step, turn in enumerate(case["turns"], start=1):
        ends = [{"kind": turn["ends"]}] if "ends" in turn else []
        words = {"reasoning": turn.get("reasoning", ""), "reply": turn.get("reply", "")}
        yield {"event": "decision", "step": step, **words, "actions": ends}
        for place, code in enumerate(turn.get("do", ())):
            printed = turn.get("printed", "") if place == 0 else ""
            action = {"kind": "python", "code": code}
            yield {"event": "action", "step": step, "action": action, "executed": "yes", "stdout": printed} | _QUIET


_QUIET = {"stderr": "", "note": ""}
