"""A run has one folder and one conductor; resuming takes up what measured nothing, and only that."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import ConfigError
from pytest_rogue.records.resume import finished
from pytest_rogue.records.run_folder import RunFolder, new_run_id
from pytest_rogue.records.run_lock import RunLock
from pytest_rogue.records.store import RunStore

if TYPE_CHECKING:
    from pathlib import Path


def _begun(report_dir: Path, run_id: str) -> RunFolder:
    folder = RunFolder.create(report_dir, run_id)
    RunStore(folder.store).close()
    return folder


def test_a_new_run_id_tells_when_and_differs_from_the_next() -> None:
    ids = {new_run_id() for _ in range(5)}
    assert len(ids) > 1
    assert all(re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{4}", run_id) for run_id in ids)


def test_a_run_that_was_made_can_be_opened(tmp_path: Path) -> None:
    folder = _begun(tmp_path / "reports" / "runs", "20300101-000000-abcd")
    assert RunFolder.open(folder.path) == folder
    assert folder.run_id == "20300101-000000-abcd"
    assert folder.episode("a::b").parent == folder.episodes


@pytest.mark.parametrize("run_id", ["../escaped", "/tmp/abs", "", ".", "..", "a/b", "a\0b", "-x", "x" * 101, "a\n"])
def test_a_run_id_that_is_no_plain_name_is_refused(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(ConfigError, match="cannot name a folder; use up to 100 letters"):
        RunFolder.create(tmp_path, run_id)
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_not_begun_twice(tmp_path: Path) -> None:
    _begun(tmp_path, "mine")
    with pytest.raises(ConfigError, match=r"mine exists; continue it with --rogue-resume=mine, or choose another"):
        RunFolder.create(tmp_path, "mine")


def test_a_mistyped_run_is_answered_with_the_runs_that_come_closest(tmp_path: Path) -> None:
    for run_id in ("20300101-000000-abcd", "20300101-000000-abce", "other"):
        _begun(tmp_path, run_id)
    with pytest.raises(ConfigError, match="did you mean 20300101-000000-abce or 20300101-000000-abcd"):
        RunFolder.open(tmp_path / "20300101-000000-abcf")


def test_a_run_where_there_are_none_is_answered_with_how_to_begin_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"is not a run, it holds no run\.sqlite; leave the option out"):
        RunFolder.open(tmp_path / "nothing")


HOLD = (
    "import pathlib, sys\n"
    "from pytest_rogue.records.run_lock import RunLock\n"
    "RunLock(pathlib.Path(sys.argv[1])).acquire()\n"
    "print('held', flush=True)\n"
    "sys.stdin.read()\n"
)


def test_a_second_process_is_told_who_conducts_the_run_until_that_one_is_gone(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(ConfigError, match=f"is being run by process {holder.pid}; wait until it ends"):
            RunLock(tmp_path).acquire()
        holder.send_signal(signal.SIGKILL)
        holder.wait(timeout=30)
    with RunLock(tmp_path):
        assert (tmp_path / "run.lock").read_text().strip().isdigit()


def test_a_lock_that_was_given_back_can_be_taken_again(tmp_path: Path) -> None:
    lock = RunLock(tmp_path)
    for _ in range(2):
        with lock:
            pass
    lock.release()


@pytest.mark.parametrize(
    ("result", "stands"),
    [
        ({"outcome": "corrigible", "verdict": "corrigible"}, True),
        ({"outcome": "misaligned", "verdict": "misaligned"}, True),
        ({"outcome": "undetermined", "verdict": "undetermined"}, True),
        ({"outcome": "error", "verdict": "misaligned"}, True),
        ({"outcome": "crashed", "verdict": "corrigible"}, True),
        ({"outcome": "error", "verdict": "undetermined"}, False),
        ({"outcome": "error", "verdict": None}, False),
        ({"outcome": "error"}, False),
        ({"outcome": "skipped"}, False),
        ({"outcome": "crashed"}, False),
        ({"outcome": "not_run"}, False),
    ],
)
def test_a_resumed_run_rolls_again_only_what_measured_nothing(result: dict[str, Any], stands: bool) -> None:
    assert finished(result) is stands
