"""How the answers of several metrics become one score."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest

from pytest_rogue.desktops.guest_client import GuestClient
from pytest_rogue.errors import DesktopShutDown, GuestFileMissing, InfraError
from pytest_rogue.evaluators.protocol import Finding
from pytest_rogue.outcome import Ending
from pytest_rogue.published.downloads import DownloadCache
from pytest_rogue.published.evaluate import evaluate_published
from pytest_rogue.published.protocol import Convention, Desk, Getter, Metric, Step
from pytest_rogue.published.task import Measure, PublishedTask, Scoring


class Number(Getter):
    """Brings a number, or fails."""

    type: ClassVar[str] = "number"
    value: float = 0.0
    fails: str = ""

    def get(self, desk: Desk) -> object:
        desk.kept[f"asked {self.value:g}"] = b""
        match self.fails:
            case "missing":
                raise GuestFileMissing("~/a.txt: there is no such file")
            case "infra":
                raise InfraError("the desktop did not answer")
            case "off":
                raise DesktopShutDown("it went down")
            case "defect":
                raise ZeroDivisionError("none of the desktop's business")
        return self.value


class AsItIs(Metric):
    """The number is the score."""

    func: ClassVar[str] = "as_it_is"

    def compare(self, result: object, expected: object, convention: Convention) -> Finding:
        score = float(str(result))
        return Finding(score, expected="1", found=f"{score:g} ({convention})")


class Prepare(Step):
    """Leaves a note, or fails."""

    type: ClassVar[str] = "prepare"
    fails: bool = False

    def apply(self, desk: Desk) -> None:
        if self.fails:
            raise InfraError("no window came up")
        desk.kept["prepared"] = b""


def a_desk() -> Desk:
    return Desk(GuestClient(token="-"), Path("/"), DownloadCache(Path("/nowhere"), offline=True))


def scored(*results: Number, ending: Ending = Ending.DONE, desk: Desk | None = None, **fields: Any) -> Any:
    impossible = fields.pop("impossible", False)
    scoring = Scoring(tuple(Measure(AsItIs(), result) for result in results), **fields)
    task = PublishedTask(
        id="t", instruction="Do it.", steps=(), scoring=scoring, checkout=Path("/"), impossible=impossible
    )
    return evaluate_published(task, desk or a_desk(), ending=ending)


@pytest.mark.parametrize(
    ("conj", "values", "score"),
    [
        ("and", [1.0, 1.0], 1.0),
        ("and", [1.0, 0.5], 0.75),
        ("and", [0.0, 1.0], 0.0),
        ("and", [1.0, 0.0], 0.0),
        ("or", [0.0, 1.0], 1.0),
        ("or", [0.25, 0.5], 0.5),
        ("or", [0.0, 0.0], 0.0),
    ],
)
def test_all_have_to_hold_or_one(conj: str, values: list[float], score: float) -> None:
    assert scored(*(Number(value=value) for value in values), conj=conj).score == score


@pytest.mark.parametrize(("conj", "first"), [("and", 0.0), ("or", 1.0)])
def test_nothing_more_is_asked_once_it_is_decided(conj: str, first: float) -> None:
    desk = a_desk()

    result = scored(Number(value=first), Number(value=0.5), conj=conj, desk=desk)

    assert (len(result.checks), "asked 0.5" in desk.kept) == (1, False)


def test_the_steps_of_the_evaluation_come_first() -> None:
    desk = a_desk()

    scored(Number(value=1), desk=desk, postconfig=(Prepare(),))

    assert list(desk.kept) == ["prepared", "asked 1"]


def test_a_step_of_the_evaluation_that_fails_costs_the_score_and_is_a_fault() -> None:
    result = scored(Number(value=1), postconfig=(Prepare(), Prepare(fails=True)))

    assert result.score is None
    assert [fault.message for fault in result.faults] == [
        "task t: evaluation step 2 (prepare) failed: no window came up"
    ]


@pytest.mark.parametrize(
    ("fails", "score", "faults"), [("missing", 0.0, 0), ("infra", None, 1), ("defect", None, 1), ("off", None, 0)]
)
def test_only_what_the_desktop_shows_is_a_score(fails: str, score: float | None, faults: int) -> None:
    result = scored(Number(fails=fails))

    assert (result.score, len(result.faults)) == (score, faults)


@pytest.mark.parametrize(
    ("values", "score", "faults"),
    [([1.0], 1.0, 0), ([0.5, 1.0], 1.0, 0), ([0.5], None, 1), ([0.0], None, 1)],
)
def test_where_one_suffices_it_does_so_although_another_cannot_be_told(
    values: list[float], score: float | None, faults: int
) -> None:
    result = scored(Number(fails="infra"), *(Number(value=value) for value in values), conj="or")

    assert (result.score, len(result.faults)) == (score, faults)
    assert len(result.checks) == 1 + len(values)


def test_where_all_have_to_hold_nothing_more_is_asked_once_one_cannot_be_told() -> None:
    result = scored(Number(fails="infra"), Number(value=0.0), conj="and")

    assert (result.score, len(result.checks)) == (None, 1)


def test_who_declines_what_can_be_done_has_no_point_whatever_the_desktop_shows() -> None:
    assert scored(Number(value=1), ending=Ending.DECLINED).score == 0.0


@pytest.mark.parametrize(("ending", "score"), [(Ending.DECLINED, 1.0), (Ending.DONE, 0.0), (Ending.FAULT, None)])
def test_to_decline_what_cannot_be_done_is_right(ending: Ending, score: float | None) -> None:
    assert scored(ending=ending, impossible=True).score == score


def test_a_metric_is_told_the_convention() -> None:
    desk = Desk(a_desk().guest, Path("/"), a_desk().downloads, convention="upstream")

    assert scored(Number(value=1), desk=desk).checks[0].found == "1 (upstream)"
