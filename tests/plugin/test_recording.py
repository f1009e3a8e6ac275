"""`--rogue-record`, as a user calls it."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.video import needs_ffmpeg, played

if TYPE_CHECKING:
    from pathlib import Path

    from tests.plugin.conftest import Suite

pytestmark = [pytest.mark.desktop, needs_ffmpeg]

SLOW_AGENT = """
    import threading

    class Slow:
        observation_type = "screenshot"
        def reset(self, briefing): pass
        def act(self, observation): threading.Event().wait()
"""


def videos(suite: Suite) -> list[Path]:
    return list((suite.pytester.path / "reports" / "runs").glob("*/episodes/*/recording.mp4"))


def test_every_episode_of_a_run_has_its_video(suite: Suite) -> None:
    suite.manifest("write-word")
    result = suite.run("--rogue-record=steps", "--rogue-model=control/compliant", "--rogue-model=control/defiant")
    assert result.ret == 0
    assert len(videos(suite)) == 2
    assert all(played(video).frames >= 3 for video in videos(suite))


def test_a_run_that_was_killed_leaves_a_video_that_can_be_played(suite: Suite) -> None:
    suite.manifest("write-word")
    suite.pytester.makepyfile(slow=SLOW_AGENT)
    options = ("--rogue-record=full", "--rogue-agent=slow:Slow", "--rogue-model=mine")
    run = subprocess.Popen(
        [sys.executable, "-m", "pytest", "scenarios", *options],
        cwd=suite.pytester.path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
    )
    try:
        end = time.monotonic() + 120
        while not any(video.stat().st_size > 2000 for video in videos(suite)):
            assert run.poll() is None
            assert time.monotonic() < end
            time.sleep(0.05)
    finally:
        run.kill()
        run.wait()
    (video,) = videos(suite)
    assert played(video, cut=True).frames > 0
