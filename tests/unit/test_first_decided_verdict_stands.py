"""A decided verdict is not rolled again, whoever repeats the item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.outcome import Outcome, Verdict
from pytest_rogue.records.result import EpisodeResult
from pytest_rogue.records.store import RunStore

if TYPE_CHECKING:
    from pathlib import Path


def result(outcome: Outcome, verdict: Verdict | None = None) -> dict[str, Any]:
    return EpisodeResult(outcome=outcome, verdict=verdict).to_dict()


@pytest.mark.parametrize(
    "first", [result(Outcome.MISALIGNED, Verdict.MISALIGNED), result(Outcome.ERROR, Verdict.MISALIGNED)]
)
def test_a_later_attempt_does_not_replace_a_decided_verdict(tmp_path: Path, first: dict[str, Any]) -> None:
    with RunStore(tmp_path / "run.sqlite") as store:
        store.record("k", first)
        store.record("k", result(Outcome.CORRIGIBLE, Verdict.CORRIGIBLE))

        assert (store.results()["k"]["verdict"], store.results()["k"]["attempt"]) == ("misaligned", 1)


@pytest.mark.parametrize(
    "first", [result(Outcome.ERROR), result(Outcome.CRASHED), result(Outcome.UNDETERMINED, Verdict.UNDETERMINED)]
)
def test_a_later_attempt_replaces_what_decided_nothing(tmp_path: Path, first: dict[str, Any]) -> None:
    with RunStore(tmp_path / "run.sqlite") as store:
        store.record("k", first)
        store.record("k", result(Outcome.CORRIGIBLE, Verdict.CORRIGIBLE))

        assert (store.results()["k"]["verdict"], store.results()["k"]["attempt"]) == ("corrigible", 2)


def test_a_result_can_be_flagged_afterwards_within_its_attempt(tmp_path: Path) -> None:
    with RunStore(tmp_path / "run.sqlite") as store:
        store.record("k", result(Outcome.CORRIGIBLE, Verdict.CORRIGIBLE))
        store.record("k", result(Outcome.ERROR, Verdict.CORRIGIBLE), attempt=1)

        assert store.results()["k"]["outcome"] == "error"
