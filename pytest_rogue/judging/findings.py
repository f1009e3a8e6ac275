"""What the judges found, as the block `judgments` of `report.json`. Builtins only; nothing here calls or writes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pytest_rogue.interaction import Usage
from pytest_rogue.judging.labels import HUMAN, labels_of
from pytest_rogue.judging.panel import PanelJudgment, agreement, combine
from pytest_rogue.records import strict_json
from pytest_rogue.stats import Rate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_rogue.judging.calibration import MeasuredError
    from pytest_rogue.judging.coverage import Question
    from pytest_rogue.judging.judge import Judge
    from pytest_rogue.judging.panel import Convention
    from pytest_rogue.judging.session import Judged
    from pytest_rogue.judging.targets import Target


@dataclass(frozen=True, slots=True)
class _Case:
    """One episode under one judge: what each target said, and what follows."""

    questions: tuple[Question, ...]
    answers: Mapping[str, Mapping[str, Any] | None]
    problems: Mapping[str, str]
    panel: PanelJudgment

    @property
    def judged(self) -> bool:
        return self.questions[0].key is not None


def findings(
    judged: Judged,
    judges: Sequence[Judge],
    targets: Sequence[Target],
    errors: Mapping[str, Iterable[MeasuredError]],
    *,
    convention: Convention = "panel",
) -> dict[str, Any]:
    """Return the block.

    Args:
        judged: the session.
        judges: what was asked.
        targets: who was asked, the primary one first.
        errors: by judge, what was measured about the targets.
        convention: how the answers make up one judgment.
    """
    cases = _cases(judged, convention)
    block: dict[str, Any] = strict_json.plain(
        {
            "convention": convention,
            "targets": [{"name": target.name, "is_model": not target.is_rules} for target in targets],
            "usage": asdict(_usage(judged)),
            "judges": [
                _judge(judge, [case for case in cases if case.questions[0].judge == judge], judged, errors)
                for judge in judges
            ],
            "episodes": [_entry(case) for case in cases],
        }
    )
    return block


def _cases(judged: Judged, convention: Convention) -> list[_Case]:
    together: dict[tuple[str, str], list[Question]] = {}
    for question in judged.asked:
        together.setdefault((question.episode.key, question.judge.name), []).append(question)
    return [_case(tuple(asked), judged, convention) for asked in together.values()]


def _case(asked: tuple[Question, ...], judged: Judged, convention: Convention) -> _Case:
    answers: dict[str, Mapping[str, Any] | None] = {}
    problems: dict[str, str] = {}
    for question in asked:
        found = judged.cache.answer(question.key) if question.key else None
        answers[question.target.name] = found.answer if found else None
        if found is None:
            problems[question.target.name] = _why(question, judged)
    episode, judge = asked[0].episode, asked[0].judge
    if episode.problem and convention == "panel":
        return _Case(asked, answers, problems, PanelJudgment(None, f"not judged: {episode.problem}"))
    return _Case(asked, answers, problems, combine(judge, answers, convention))


def _why(question: Question, judged: Judged) -> str:
    if question.key is None:
        return question.episode.problem
    failed = judged.cache.failure(question.key)
    return judged.problems.get(question.key) or (failed.problem if failed else "") or "not asked"


def _usage(judged: Judged) -> Usage:
    keys = dict.fromkeys(question.key for question in judged.asked if question.key)
    return sum(map(judged.cache.usage, keys), Usage())


def _judge(
    judge: Judge, cases: Sequence[_Case], judged: Judged, errors: Mapping[str, Iterable[MeasuredError]]
) -> dict[str, Any]:
    groups: dict[tuple[str, str, str], list[_Case]] = {}
    for case in cases:
        episode = case.questions[0].episode
        groups.setdefault((episode.model, episode.scenario, episode.variant), []).append(case)
    return {
        "judge": judge.name,
        "version": judge.version,
        "question": judge.question,
        "rate_field": judge.rate,
        "groups": [
            {"model": model, "scenario": scenario, "variant": variant, **_counts(judge, members)}
            for (model, scenario, variant), members in groups.items()
        ],
        "agreement": [asdict(agreement(name, _ratings(name, cases))) for name in judge.fields],
        "errors": [_error(error) for error in errors.get(judge.name, ())],
        "human": _human(judge, cases, judged),
    }


def _counts(judge: Judge, cases: Sequence[_Case]) -> dict[str, Any]:
    decided = [(_task(case), case.panel.answer) for case in cases if case.panel.answer is not None]
    return {
        "episodes": len(cases),
        "not_judged": sum(not case.judged for case in cases),
        "undetermined": sum(case.judged and case.panel.answer is None for case in cases),
        "rate": asdict(Rate.clustered((task, bool(answer[judge.rate])) for task, answer in decided)),
    }


def _task(case: _Case) -> str:
    episode = case.questions[0].episode
    return episode.task or episode.key


def _ratings(name: str, cases: Iterable[_Case]) -> list[dict[str, Any]]:
    return [{target: answer[name] for target, answer in case.answers.items() if answer} for case in cases]


def _error(error: MeasuredError) -> dict[str, Any]:
    return {
        "target": error.target,
        "cases": error.cases,
        "answered": error.answered,
        "sensitivity": asdict(error.sensitivity),
        "specificity": asdict(error.specificity),
    }


def _human(judge: Judge, cases: Sequence[_Case], judged: Judged) -> list[dict[str, Any]]:
    """Return how far each target, and the panel, agree with each person who labelled episodes."""
    labels = labels_of(judge, [case.questions[0] for case in cases], judged.cache)
    compared = []
    for person in sorted({person for _, person in labels}):
        for target in [*dict.fromkeys(name for case in cases for name in case.answers), "panel"]:
            for name in judge.fields:
                ratings = [
                    {HUMAN: label[name], target: given[name]}
                    for case in cases
                    if (label := labels.get((case.questions[0].episode.key, person)))
                    and (given := case.panel.answer if target == "panel" else case.answers.get(target))
                    and name in given
                ]
                found = agreement(name, ratings)
                kappa = found.kappa[0][3] if found.kappa else None
                compared.append(
                    {"person": person, "target": target, "field": name}
                    | {"n": found.n, "percent": found.percent, "kappa": kappa}
                )
    return compared


def _entry(case: _Case) -> dict[str, Any]:
    first = case.questions[0]
    return {
        "nodeid": first.episode.nodeid,
        "judge": first.judge.name,
        "answer": case.panel.answer,
        "reason": case.panel.reason,
        "by_target": {
            name: {"answer": answer and dict(answer), "problem": case.problems.get(name, "")}
            for name, answer in case.answers.items()
        },
    }
