"""The video of an episode can be played, however the episode ended, and decides nothing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.agents.controls import ComplyingControl, DefiantControl
from pytest_rogue.desktops.local import LocalProvider
from pytest_rogue.episode.limits import Limits
from pytest_rogue.episode.recording import check_recording, recording_of
from pytest_rogue.episode.run import run_episode
from pytest_rogue.errors import ConfigError
from pytest_rogue.outcome import Outcome, Verdict
from pytest_rogue.records.episode_folder import RECORDING, EpisodeRecorder
from pytest_rogue.records.events import read_events
from tests.video import needs_ffmpeg, played

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_rogue.agents.protocol import Agent, Briefing
    from pytest_rogue.desktops.protocol import Desktop
    from pytest_rogue.interaction import Decision, Observation
    from pytest_rogue.records.result import EpisodeResult
    from pytest_rogue.suite.model import Case

FIRST_PIECE = 2000
"""Bytes; the head of the file alone has fewer."""


class Interrupted(DefiantControl):
    """Works like its base, but something happens before it decides for the second time."""

    def __init__(self, happens: Callable[[], object]) -> None:
        super().__init__()
        self._happens = happens

    def act(self, observation: Observation) -> Decision:
        if observation.step == 1:
            self._happens()
        return super().act(observation)


def run(
    case: Case, desktop: Desktop, agent: Agent, folder: Path, mode: str = "full", artifacts: str = "on"
) -> EpisodeResult:
    with EpisodeRecorder(folder, artifacts=artifacts) as recorder:
        recording = recording_of(mode, desktop.guest, folder)
        return run_episode(case, desktop, agent, recorder, limits=Limits(), seed=1, recording=recording)


def wait_for_a_piece(video: Path) -> None:
    end = time.monotonic() + 60
    while not (video.exists() and video.stat().st_size > FIRST_PIECE):
        assert time.monotonic() < end, "no piece of the video came"
        time.sleep(0.05)


@needs_ffmpeg
@pytest.mark.desktop
def test_a_full_recording_of_an_episode_can_be_played(tmp_path: Path, desktop: Desktop, case: Case) -> None:
    folder = tmp_path / "episode"
    result = run(case, desktop, Interrupted(lambda: wait_for_a_piece(folder / RECORDING)), folder)
    assert (result.verdict, result.score) == (Verdict.MISALIGNED, 1.0)
    assert not [note for note in result.notes if "recording" in note]
    video = played(folder / RECORDING)
    assert (video.width, video.height) == (960, 540)
    assert video.frames > 5
    assert video.seconds > 1


@needs_ffmpeg
@pytest.mark.desktop
def test_the_recording_of_an_episode_that_broke_can_be_played(tmp_path: Path, desktop: Desktop, case: Case) -> None:
    folder = tmp_path / "episode"

    def breaks() -> None:
        wait_for_a_piece(folder / RECORDING)
        raise RuntimeError("the agent broke")

    result = run(case, desktop, Interrupted(breaks), folder)
    assert result.outcome is Outcome.ERROR
    assert not [note for note in result.notes if "recording" in note]
    assert played(folder / RECORDING).frames > 5


@needs_ffmpeg
@pytest.mark.desktop
def test_what_was_recorded_before_the_desktop_was_lost_can_be_played(
    tmp_path: Path, desktop: Desktop, case: Case
) -> None:
    folder = tmp_path / "episode"

    def is_lost() -> None:
        wait_for_a_piece(folder / RECORDING)
        desktop.stop()

    result = run(case, desktop, Interrupted(is_lost), folder)
    assert result.outcome is Outcome.ERROR
    assert [note for note in result.notes if "recording is missing or ends early" in note]
    assert played(folder / RECORDING, cut=True).frames > 0


@needs_ffmpeg
@pytest.mark.desktop
def test_a_recording_that_is_cut_short_is_a_note_and_changes_no_verdict(
    tmp_path: Path, desktop: Desktop, case: Case
) -> None:
    folder = tmp_path / "episode"

    def is_killed() -> None:
        wait_for_a_piece(folder / RECORDING)
        assert desktop.guest.run(["pkill", "-KILL", "-x", "ffmpeg"]).exit_code == 0

    result = run(case, desktop, Interrupted(is_killed), folder)
    assert (result.outcome, result.verdict, result.score) == (Outcome.MISALIGNED, Verdict.MISALIGNED, 1.0)
    (note,) = [note for note in result.notes if "recording" in note]
    assert "ffmpeg ended with code -9" in note
    assert played(folder / RECORDING, cut=True).frames > 0


@needs_ffmpeg
@pytest.mark.desktop
def test_a_recording_of_steps_has_one_second_for_each_screen(tmp_path: Path, desktop: Desktop, case: Case) -> None:
    result = run(case, desktop, DefiantControl(), tmp_path / "episode", "steps")
    assert not [note for note in result.notes if "recording" in note]
    rows = read_events(tmp_path / "episode" / "events.jsonl").rows
    screens = [row for row in rows if row["event"] == "screen"]
    video = played(tmp_path / "episode" / RECORDING)
    assert (video.frames, video.width) == (len(screens), 1280)
    assert video.seconds == pytest.approx(len(screens))


@pytest.mark.desktop
def test_an_episode_that_was_never_seen_has_a_note_instead_of_a_recording(
    tmp_path: Path, desktop: Desktop, case: Case
) -> None:
    class Unready(DefiantControl):
        def reset(self, briefing: Briefing) -> None:
            raise RuntimeError("not today")

    result = run(case, desktop, Unready(), tmp_path / "episode", "steps")
    assert "there is no recording: the episode ended before the first screenshot" in result.notes
    assert not (tmp_path / "episode" / RECORDING).exists()


@needs_ffmpeg
@pytest.mark.desktop
def test_a_recording_goes_with_the_other_artifacts(tmp_path: Path, desktop: Desktop, case: Case) -> None:
    result = run(case, desktop, ComplyingControl(), tmp_path / "episode", "steps", "retain-on-failure")
    assert result.outcome is Outcome.CORRIGIBLE
    assert sorted(path.name for path in (tmp_path / "episode").iterdir()) == ["episode.json", "events.jsonl"]


# --- what cannot be is said at the start --------------------


class WithoutPrograms(LocalProvider):
    """A provider whose desktops have no application."""

    def missing(self, apps: Sequence[str]) -> Sequence[str]:
        return apps


def test_a_full_recording_without_ffmpeg_in_the_desktop_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"needs ffmpeg in the local desktop: sudo apt-get install"):
        check_recording("full", "on", WithoutPrograms())


def test_a_recording_of_steps_without_ffmpeg_here_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match=r"needs ffmpeg on this machine: sudo apt-get install"):
        check_recording("steps", "on", LocalProvider())


@needs_ffmpeg
def test_a_recording_of_steps_without_screenshots_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"leave out --rogue-artifacts=off"):
        check_recording("steps", "off", LocalProvider())
