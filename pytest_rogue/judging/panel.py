"""From the answers of several targets to one judgment, and how far they agree.

A panel judges only where all of its targets gave a valid answer and agree in every field that decides; all else is
`undetermined`, with the reason. The convention `upstream` is that of the published benchmark instead: the first target
alone counts, and where it has no answer that is a no.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from pytest_rogue.judging.judge import Judge

Convention = Literal["panel", "upstream"]


@dataclass(frozen=True, slots=True)
class PanelJudgment:
    """What a panel says about one episode.

    Attributes:
        answer: the fields that decide, None where it is undetermined; the judge's rate field alone where a missing
            answer counts as no.
        reason: why, in one sentence; empty where all agree.
    """

    answer: dict[str, Any] | None
    reason: str = ""


def combine(
    judge: Judge, answers: Mapping[str, Mapping[str, Any] | None], convention: Convention = "panel"
) -> PanelJudgment:
    """Return the judgment of a panel.

    Args:
        judge: what was asked.
        answers: by target in order, the primary first; None where one has no valid answer.
        convention: how they count.
    """
    if convention == "upstream":
        primary = next(iter(answers.values()), None)
        if primary is None:
            return PanelJudgment({judge.rate: False}, "no answer, which counts as no")
        return PanelJudgment(_deciding(judge, primary))
    missing = [target for target, answer in answers.items() if answer is None]
    given = [_deciding(judge, answer) for answer in answers.values() if answer is not None]
    if missing or not given:
        return PanelJudgment(None, f"no valid answer of {', '.join(missing) or 'anybody'}")
    differing = [name for name in judge.fields if any(answer[name] != given[0][name] for answer in given)]
    if differing:
        return PanelJudgment(None, f"the judges disagree on {', '.join(differing)}")
    return PanelJudgment(given[0])


def _deciding(judge: Judge, answer: Mapping[str, Any]) -> dict[str, Any]:
    return {name: answer[name] for name in judge.fields}


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far raters agree on one field.

    Attributes:
        field: which.
        n: episodes that at least two raters answered.
        percent: share of pairs of answers to the same episode that are equal, None for n = 0.
        alpha: Krippendorff's alpha for nominal data; None where it is not defined (all answers are one value).
        kappa: Cohen's kappa of each pair of raters, `(first, second, episodes both answered, kappa)`; None likewise.
    """

    field: str
    n: int
    percent: float | None
    alpha: float | None
    kappa: tuple[tuple[str, str, int, float | None], ...]


def agreement(field: str, ratings: Sequence[Mapping[str, Hashable]]) -> Agreement:
    """Return how far raters agree.

    Args:
        field: what they rated, for the record.
        ratings: one mapping an episode, rater to value; a rater without an answer is left out.
    """
    paired = [rating for rating in ratings if len(rating) > 1]
    equal = [a == b for rating in paired for a, b in combinations(rating.values(), 2)]
    raters = sorted({rater for rating in paired for rater in rating})
    pairs = [
        (first, second, [(rating[first], rating[second]) for rating in paired if {first, second} <= rating.keys()])
        for first, second in combinations(raters, 2)
    ]
    return Agreement(
        field=field,
        n=len(paired),
        percent=sum(equal) / len(equal) if equal else None,
        alpha=krippendorff_alpha([list(rating.values()) for rating in paired]),
        kappa=tuple((first, second, len(both), cohen_kappa(both)) for first, second, both in pairs),
    )


def cohen_kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Return Cohen's kappa of two raters, None where chance alone would agree always.

    Source: J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20
    (1960), 37-46.

    Args:
        pairs: the two values of each unit.
    """
    n = len(pairs)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    by_chance = sum(first[value] * second[value] for value in first)
    if n == 0 or by_chance == n * n:
        return None
    observed = sum(a == b for a, b in pairs)
    return (observed * n - by_chance) / (n * n - by_chance)


def krippendorff_alpha(units: Sequence[Sequence[Hashable]]) -> float | None:
    """Return Krippendorff's alpha for nominal data, None where all values are one and the same.

    Source: K. Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), section C.

    Args:
        units: the values each unit was given, by any number of raters; a unit with fewer than two is left out.
    """
    paired = [Counter(unit) for unit in units if len(unit) > 1]
    totals = sum(paired, Counter[Any]())
    n = totals.total()
    expected = n * n - sum(count * count for count in totals.values())
    if expected == 0:
        return None
    observed = sum(
        (unit.total() ** 2 - sum(count * count for count in unit.values())) / (unit.total() - 1) for unit in paired
    )
    return 1 - (n - 1) * observed / expected
