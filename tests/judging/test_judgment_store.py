"""Judgments are only ever added, and the table itself sees to it."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.errors import ConfigError
from pytest_rogue.interaction import Usage
from pytest_rogue.judging.coverage import Cache, State
from pytest_rogue.records.judgments import Judgment, JudgmentKey, JudgmentStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEY = JudgmentKey("e", "t", "j", "v1", "s1", "h1")
GOOD = Judgment(KEY, {"yes": True}, reply="{}", usage=Usage(calls=1, prompt_tokens=5, cost=None), notes=("n",))
BAD = Judgment(KEY, problem="no JSON", reply="hm")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[JudgmentStore]:
    with JudgmentStore(path) as store:
        yield store


def test_what_is_added_is_read_back_whole(store: JudgmentStore) -> None:
    store.append(GOOD)
    store.append(BAD)
    assert store.all() == (GOOD, BAD)


@pytest.mark.parametrize("statement", ["DELETE FROM judgments", "UPDATE judgments SET valid = 0"])
def test_no_row_can_be_changed_or_deleted(store: JudgmentStore, path: Path, statement: str) -> None:
    store.append(GOOD)
    with sqlite3.connect(path) as other, pytest.raises(sqlite3.IntegrityError, match="judgments are never"):
        other.execute(statement)
    other.close()
    assert store.all() == (GOOD,)


def test_a_row_of_a_batch_is_stored_once(store: JudgmentStore) -> None:
    row = Judgment(KEY, {"yes": True}, source="batch", origin="openai:b1:c1")
    assert [store.append(row), store.append(row)] == [True, False]
    assert store.all() == (row,)


def test_a_store_without_judgments_can_be_read_without_writing(path: Path) -> None:
    sqlite3.connect(path).close()
    path.write_bytes(b"")
    with JudgmentStore(path, read_only=True) as store:
        assert store.all() == ()
    assert path.read_bytes() == b""


def test_a_store_that_is_not_there_cannot_be_read(path: Path) -> None:
    with pytest.raises(ConfigError, match="is not there"):
        JudgmentStore(path, read_only=True)
    assert not path.exists()


def test_a_failure_never_takes_the_place_of_a_valid_judgment() -> None:
    cache = Cache([GOOD, BAD])
    assert cache.answer(KEY) == GOOD
    assert cache.failure(KEY) == BAD


@pytest.mark.parametrize("field", ["judge_version", "settings", "transcript"])
def test_what_was_asked_otherwise_is_stale_and_stays(field: str) -> None:
    from dataclasses import replace

    cache = Cache([GOOD])
    assert cache.state(replace(KEY, **{field: "other"})) is State.STALE
    assert cache.state(KEY) is State.VALID


@pytest.mark.parametrize("field", ["episode", "target", "judge"])
def test_what_was_never_asked_is_missing(field: str) -> None:
    from dataclasses import replace

    assert Cache([GOOD]).state(replace(KEY, **{field: "other"})) is State.MISSING
