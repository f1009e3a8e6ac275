"""The store: append-only results, a plan that keeps its denominator, one halt; many processes at once."""

from __future__ import annotations

import math
import sqlite3
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.errors import ConfigError, InfraError, RecordError
from pytest_rogue.records.store import PlannedItem, RunStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def planned_item(key: str, order: int = 0) -> PlannedItem:
    return PlannedItem(
        key=key,
        nodeid=f"scenarios/override.json::{key}[m]",
        case_id=key,
        case_hash="0123456789abcdef",
        scenario="override",
        variant="base",
        model="m",
        epoch=1,
        order=order,
        task="t",
        seed=7,
        expected="misaligned",
        folder=f"episodes/{key}",
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[RunStore]:
    with RunStore(path) as store:
        yield store


def test_the_plan_is_read_back_in_the_order_of_the_collection(store: RunStore) -> None:
    store.plan([planned_item("b", order=1), planned_item("a", order=0), planned_item("c", order=2)])
    assert store.planned() == (planned_item("a", order=0), planned_item("b", order=1), planned_item("c", order=2))


def test_planning_a_part_of_a_run_again_keeps_the_whole_plan(store: RunStore) -> None:
    store.plan([planned_item("a", 0), planned_item("b", 1)])
    store.plan([planned_item("b", 1)])
    assert [item.key for item in store.planned()] == ["a", "b"]


def test_items_that_a_resumed_session_leaves_out_and_adds_do_not_change_the_order(store: RunStore) -> None:
    store.plan([planned_item("a", 0), planned_item("b", 1), planned_item("c", 2)])
    store.plan([planned_item("c", 0), planned_item("new", 1)])
    assert [item.key for item in store.planned()] == ["a", "b", "c", "new"]


def test_workers_that_plan_the_same_items_plan_them_once(store: RunStore, path: Path) -> None:
    items = (planned_item("a", 0), planned_item("b", 1))
    with RunStore(path) as other:
        store.plan(items)
        other.plan(items)
    assert store.planned() == items


def test_a_case_that_was_put_back_takes_its_place_again(store: RunStore) -> None:
    first, other = planned_item("first", 0), planned_item("other", 1)
    changed = replace(planned_item("changed", 0), nodeid=first.nodeid)
    store.plan([first, other])
    store.plan([changed])
    assert [item.key for item in store.current()] == ["other", "changed"]
    store.plan([first])
    assert [item.key for item in store.current()] == ["first", "other"]


def test_of_a_plan_that_an_earlier_version_wrote_the_later_place_counts(store: RunStore, path: Path) -> None:
    first = planned_item("first", 0)
    store.plan([first, replace(planned_item("changed", 1), nodeid=first.nodeid)])
    rows = sqlite3.connect(path)
    rows.execute("UPDATE planned SET item = json_remove(item, '$.plan')")
    rows.commit()
    rows.close()
    assert [item.key for item in store.current()] == ["changed"]
    store.plan([first])
    assert [item.key for item in store.current()] == ["first"]


def test_a_plan_is_written_whole_or_not_at_all(store: RunStore) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        store.plan([planned_item("a"), planned_item(None)])  # type: ignore[arg-type]
    store.plan([planned_item("b")])
    assert [item.key for item in store.planned()] == ["b"]


def test_the_latest_attempt_wins_and_earlier_ones_stay(store: RunStore, path: Path) -> None:
    store.record("a", {"outcome": "corrigible"}, attempt=2)
    store.record("a", {"outcome": "error"}, attempt=1)
    assert store.results() == {"a": {"outcome": "corrigible", "attempt": 2}}
    rows = sqlite3.connect(path)
    assert rows.execute("SELECT count(*) FROM results").fetchone() == (2,)
    rows.close()


def test_attempts_are_counted_where_nobody_says_which_it_was(store: RunStore) -> None:
    for _ in range(3):
        store.record("a", {"outcome": "error"})
    store.record("b", {"outcome": "error"})
    assert {key: result["attempt"] for key, result in store.results().items()} == {"a": 3, "b": 1}


def test_a_score_that_is_no_number_stays_missing_through_the_store(store: RunStore, path: Path) -> None:
    store.record("a", {"outcome": "error", "score": math.nan})
    with RunStore(path) as again:
        assert again.results()["a"]["score"] is None


def test_secrets_do_not_reach_the_store(store: RunStore, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "first-value")
    store.record("a", {"outcome": "error", "notes": ["got first-value"]})
    store.set_meta("options", {"x": "first-value"})
    store.halt("key first-value is dead")
    store.close()
    for file in path.parent.iterdir():
        assert b"first-value" not in file.read_bytes()
    with RunStore(path) as again:
        assert again.halted() == "key [secret A_TOKEN] is dead"


def test_a_run_that_was_not_halted_has_no_reason(store: RunStore) -> None:
    assert store.halted() is None


def test_the_first_reason_to_halt_stays_and_every_process_sees_it(store: RunStore, path: Path) -> None:
    with RunStore(path) as other:
        other.halt("no credit")
        store.halt("a later reason")
        assert store.halted() == other.halted() == "no credit"


def test_a_resumed_run_may_be_halted_for_another_reason(store: RunStore) -> None:
    store.halt("no credit")
    store.clear_halt()
    assert store.halted() is None
    store.halt("dead key")
    assert store.halted() == "dead key"


def test_facts_about_the_run_are_kept_with_their_types(store: RunStore, path: Path) -> None:
    store.set_meta("models", ["a", "b"])
    store.set_meta("models", ["c"])
    with RunStore(path) as again:
        assert again.get_meta("models") == ["c"]
        assert again.get_meta("never set", default=0) == 0


def _work(path: Path, worker: int) -> None:
    with RunStore(path) as store:
        for number in range(25):
            store.record(f"item-{number}", {"outcome": "error", "worker": worker})
            store.halted()
        store.halt(f"worker {worker}")


def test_several_processes_make_and_fill_one_store_at_the_same_time(path: Path) -> None:
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        for done in [pool.submit(_work, path, worker) for worker in range(4)]:
            done.result()
    with RunStore(path) as store:
        assert {result["attempt"] for result in store.results().values()} == {4}
        assert len(store.results()) == 25


def test_a_killed_process_loses_nothing_it_had_recorded(path: Path) -> None:
    program = (
        "import os, pathlib, signal, sys\n"
        "from pytest_rogue.records.store import RunStore\n"
        "store = RunStore(pathlib.Path(sys.argv[1]))\n"
        "for n in range(20):\n"
        "    store.record(f'item-{n}', {'outcome': 'error'})\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(path)], check=False, timeout=60)
    assert killed.returncode == -9
    with RunStore(path) as store:
        assert len(store.results()) == 20


def test_a_store_of_a_newer_version_is_refused_in_a_sentence(path: Path) -> None:
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(ConfigError, match=r"written by a newer pytest-rogue \(form 99, this one reads 1\); upgrade"):
        RunStore(path)


def test_a_damaged_store_is_a_loud_error(path: Path) -> None:
    path.write_bytes(b"this is not a database, but it is long enough to be read as the header of one" * 20)
    with pytest.raises(RecordError, match="is damaged"):
        RunStore(path)


def test_a_store_that_cannot_be_written_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InfraError, match=r"The store .*run\.sqlite cannot be used: unable to open database file"):
        RunStore(tmp_path / "missing" / "run.sqlite")
