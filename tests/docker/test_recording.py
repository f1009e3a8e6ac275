"""The screen of a container as a video; its own ffmpeg makes it, and proves that it can be played."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.episode.recording import FullRecording
from pytest_rogue.records.episode_folder import RECORDING
from tests.video import PROBE, Video

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.desktops.docker import DockerDesktop

pytestmark = pytest.mark.docker


def test_a_container_is_recorded(desktop: DockerDesktop, tmp_path: Path) -> None:
    recording = FullRecording(desktop.guest, tmp_path)
    recording.start()
    end = time.monotonic() + 60
    while not ((tmp_path / RECORDING).exists() and (tmp_path / RECORDING).stat().st_size > 2000):
        assert time.monotonic() < end
        time.sleep(0.05)
    assert recording.finish() == ()

    inside = "/home/user/recording.mp4"
    desktop.guest.write_file(inside, (tmp_path / RECORDING).read_bytes())
    probed = desktop.guest.run([*PROBE, inside])
    assert probed.stderr == ""
    video = Video.read(probed.stdout)
    assert video.frames > 5
    assert (video.width, video.height) == (960, 720)


def test_a_container_that_is_gone_leaves_a_note_and_what_was_recorded(desktop: DockerDesktop, tmp_path: Path) -> None:
    recording = FullRecording(desktop.guest, tmp_path)
    recording.start()
    desktop.stop()
    (note,) = recording.finish()
    assert note.startswith("the recording is missing or ends early: ")
