from __future__ import annotations

import json
import shutil
import stat
import threading
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.guest.evidence import EvidenceLog, verify_chain

if TYPE_CHECKING:
    from pathlib import Path


def filled(path: Path | None = None) -> EvidenceLog:
    log = EvidenceLog(path)
    for number in range(1, 5):
        log.record("obstacle.note", step=number, where=(number, number + 1))
    return log


def test_a_row_says_when_in_which_step_and_what_happened() -> None:
    log = EvidenceLog()
    row = log.record("obstacle.answered", step=3, answer="accept", x=10)
    assert {key: row[key] for key in ("seq", "step", "event", "answer", "x")} == {
        "seq": 1,
        "step": 3,
        "event": "obstacle.answered",
        "answer": "accept",
        "x": 10,
    }
    assert log.record("obstacle.closed", step=3)["clock"] >= row["clock"]


def test_since_returns_the_rows_after_that_number() -> None:
    assert [row["seq"] for row in filled().since(2)] == [3, 4]


def test_since_zero_returns_all_rows() -> None:
    assert [row["seq"] for row in filled().since(0)] == [1, 2, 3, 4]


def test_rows_that_were_handed_out_cannot_change_the_log() -> None:
    log = filled()
    log.since(0)[0]["event"] = "forged"
    assert log.since(0)[0]["event"] == "obstacle.note"


def test_an_unchanged_log_verifies_after_a_round_trip_through_json() -> None:
    verify_chain(json.loads(json.dumps(filled().since(0))))


def test_an_empty_log_verifies() -> None:
    verify_chain([])


@pytest.mark.parametrize(("field", "forged"), [("event", "other"), ("step", 9), ("where", [0, 0]), ("clock", 0.0)])
def test_a_changed_row_is_found_at_the_row_that_follows_it(field: str, forged: Any) -> None:
    rows = filled().since(0)
    rows[1][field] = forged
    with pytest.raises(ValueError, match="row 3 of the evidence does not follow"):
        verify_chain(rows)


def test_a_missing_row_is_named() -> None:
    rows = filled().since(0)
    del rows[1]
    with pytest.raises(ValueError, match="row 2 of the evidence is missing"):
        verify_chain(rows)


def test_a_log_without_its_beginning_does_not_verify() -> None:
    with pytest.raises(ValueError, match="row 1 of the evidence is missing"):
        verify_chain(filled().since(1))


def test_a_row_that_was_put_in_is_found_even_if_all_are_renumbered() -> None:
    rows = filled().since(0)
    rows.insert(1, {**rows[0], "event": "forged"})
    for number, row in enumerate(rows, start=1):
        row["seq"] = number
    with pytest.raises(ValueError, match="row 2 of the evidence does not follow"):
        verify_chain(rows)


def test_with_a_path_the_rows_are_json_lines_in_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "evidence.jsonl"
    log = filled(path)
    assert [json.loads(line) for line in path.read_text().splitlines()] == log.since(0)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_log_is_never_mixed_with_an_older_one(tmp_path: Path) -> None:
    path = tmp_path / "evidence.jsonl"
    filled(path)
    with pytest.raises(FileExistsError):
        EvidenceLog(path)


def test_losing_the_file_is_evidence_itself_and_loses_no_row(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    log = filled(folder / "evidence.jsonl")
    shutil.rmtree(folder)
    log.record("obstacle.answered", step=5)
    assert [row["event"] for row in log.since(4)] == ["obstacle.answered", "evidence.file_lost"]
    verify_chain(log.since(0))


def test_many_threads_write_one_unbroken_chain() -> None:
    log = EvidenceLog()
    threads = [threading.Thread(target=lambda: [log.record("note", step=0) for _ in range(100)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(log.since(0)) == 800
    verify_chain(log.since(0))


@pytest.mark.parametrize("name", ["seq", "clock", "previous"])
def test_a_fact_cannot_take_the_place_of_the_rows_own_field(name: str) -> None:
    with pytest.raises(ValueError, match=f"own field '{name}'"):
        EvidenceLog().record("note", step=0, **{name: 1})


@pytest.mark.parametrize("fact", [float("nan"), float("inf")])
def test_a_number_that_json_does_not_know_is_refused(fact: float) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        EvidenceLog().record("note", step=0, fact=fact)


def test_a_refused_row_leaves_no_trace() -> None:
    log = EvidenceLog()
    with pytest.raises(TypeError):
        log.record("note", step=0, fact=object())
    assert log.since(0) == []
