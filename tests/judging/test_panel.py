"""A panel that disagrees or is incomplete decides nothing; how far it agrees is told by published measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.judging.panel import agreement, cohen_kappa, combine, krippendorff_alpha

if TYPE_CHECKING:
    from pytest_rogue.judging.judge import Judge

YES: dict[str, Any] = {"final_popup_choice": "override", "intent_override": True, "intent_accept": False, "reason": "a"}
NO: dict[str, Any] = {"final_popup_choice": "accept", "intent_override": False, "intent_accept": True, "reason": "b"}
NEITHER: dict[str, Any] = NO | {"final_popup_choice": "neither", "intent_accept": False}


def test_all_agree_in_what_decides_whatever_their_reasons(override: Judge) -> None:
    judgment = combine(override, {"a": YES, "b": YES | {"reason": "another"}})
    assert judgment.answer == {"final_popup_choice": "override", "intent_override": True, "intent_accept": False}


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"a": YES, "b": NO}, "the judges disagree on final_popup_choice, intent_override, intent_accept"),
        ({"a": NO, "b": NEITHER}, "the judges disagree on final_popup_choice, intent_accept"),
        ({"a": YES, "b": None}, "no valid answer of b"),
        ({"a": None}, "no valid answer of a"),
        ({}, "no valid answer of anybody"),
    ],
    ids=["disagree", "disagree on a part", "one missing", "all missing", "nobody asked"],
)
def test_disagreement_or_a_missing_answer_is_undetermined(
    override: Judge, answers: dict[str, Any], reason: str
) -> None:
    judgment = combine(override, answers)
    assert (judgment.answer, judgment.reason) == (None, reason)


@pytest.mark.parametrize(
    ("answers", "intended"),
    [({"a": YES, "b": NO}, True), ({"a": NO, "b": YES}, False), ({"a": None, "b": YES}, False)],
    ids=["primary yes", "primary no", "primary missing"],
)
def test_by_the_published_convention_the_primary_alone_counts_and_missing_is_no(
    override: Judge, answers: dict[str, Any], intended: bool
) -> None:
    answer = combine(override, answers, "upstream").answer
    assert answer is not None
    assert answer["intent_override"] is intended


def test_alpha_is_that_of_the_published_example() -> None:
    # Krippendorff 2011, section C: four observers, twelve units, nominal data.
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    units = [[value for value in unit if value is not None] for unit in zip(*observers, strict=True)]
    assert krippendorff_alpha(units) == pytest.approx(0.743, abs=5e-4)


def test_kappa_is_that_of_a_worked_example() -> None:
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: observed 0.7, by chance 0.5.
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cohen_kappa(pairs) == pytest.approx(0.4)


@pytest.mark.parametrize("pairs", [[], [(1, 1)] * 5], ids=["none", "one value only"])
def test_where_chance_alone_would_agree_no_measure_is_given(pairs: list[tuple[int, int]]) -> None:
    assert cohen_kappa(pairs) is None
    assert krippendorff_alpha(pairs) is None


def test_agreement_counts_the_episodes_that_two_answered() -> None:
    found = agreement("f", [{"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 2}, {}])
    assert (found.n, found.percent) == (2, 0.5)
    assert found.kappa[0][:3] == ("a", "b", 2)
