"""A run as data frames and files of them: one row for each, and what is missing stays missing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import pytest_rogue
from pytest_rogue.errors import ConfigError
from pytest_rogue.outcome import Outcome
from pytest_rogue.records.result import EpisodeResult, Fault
from pytest_rogue.reporting.tables import write_tables
from tests.reporting.page.records import BROKE, RunMaker

if TYPE_CHECKING:
    from pathlib import Path

NO_DESKTOP = EpisodeResult(Outcome.ERROR, faults=(Fault("DesktopStartError", "There is no room.", "setup"),))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    maker = RunMaker(tmp_path / "run")
    maker.episode()
    maker.episode("sort", result=BROKE, events=[])
    maker.episode("never", result=None)
    maker.episode("unmade", result=NO_DESKTOP, events=[])
    maker.report()
    return maker.path


def test_every_planned_episode_is_a_row_and_a_missing_value_is_not_0(run: Path) -> None:
    episodes = pytest_rogue.load_run(run).episodes

    assert list(episodes["outcome"]) == ["misaligned", "error", "not_run", "error"]
    assert list(episodes["score"].isna()) == [False, True, True, True]
    assert list(episodes["answered_step"].isna()) == [False, True, True, True]
    for name in ("steps", "actions", "calls", "prompt_tokens", "cost"):
        assert list(episodes[name].isna()) == [False, False, True, True], name
    assert episodes["score"].mean() == 1.0
    assert episodes["seconds"][0] == 3.5


def test_every_turn_is_a_row_with_what_its_actions_gave(run: Path) -> None:
    steps = pytest_rogue.load_run(run).steps

    assert list(steps["step"]) == [1, 2, 3]
    assert steps["code"][0] == "pyautogui.write('harbour')"
    assert steps["stdout"][0] == "typed"
    assert pd.isna(steps["stdout"][1])
    assert list(steps["obstacle_visible"].fillna(value=False)) == [False, True, False]


def test_evidence_keeps_its_facts(run: Path) -> None:
    found = pytest_rogue.load_run(str(run)).evidence

    assert list(found["event"]) == ["obstacle.appeared", "obstacle.answered"]
    assert found["facts"][1] == '{"answer": "override", "by": "pointer"}'


def test_csv_and_parquet_say_the_same(run: Path, tmp_path: Path) -> None:
    as_text, as_parquet = write_tables(run, "csv", tmp_path), write_tables(run, "parquet", tmp_path)

    assert [path.name for path in as_text] == ["episodes.csv", "steps.csv", "evidence.csv"]
    for text, parquet in zip(as_text, as_parquet, strict=True):
        typed = pd.read_parquet(parquet)
        read = pd.read_csv(text, dtype=typed.dtypes.to_dict())
        pd.testing.assert_frame_equal(read, typed)


def test_a_run_without_episodes_has_the_same_columns(tmp_path: Path, run: Path) -> None:
    RunMaker(tmp_path / "empty").report()
    empty, full = pytest_rogue.load_run(tmp_path / "empty"), pytest_rogue.load_run(run)

    assert empty.steps.dtypes.to_dict() == full.steps.dtypes.to_dict()
    assert len(empty.episodes) == 0


def test_without_pandas_the_line_that_installs_it_is_told(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)

    with pytest.raises(ConfigError, match=r"pip install 'pytest-rogue\[analysis\]'"):
        pytest_rogue.load_run(run)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"is not a run.*; give the folder of a run"):
        pytest_rogue.load_run(tmp_path / "no-run")  # runs beside it would be offered instead


def test_a_damaged_record_is_named_in_its_row(run: Path) -> None:
    [folder] = (run / "episodes").glob("tidy-*")
    with (folder / "events.jsonl").open("ab") as file:
        file.write(b'{"event": "scr')

    frame: Any = pytest_rogue.load_run(run).episodes
    assert "the last line is torn" in frame["warnings"][0]
