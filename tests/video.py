"""What a video player finds in a file."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

needs_ffmpeg = pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is missing: apt-get install ffmpeg")

PROBE = (
    *("ffprobe", "-v", "error", "-count_frames", "-select_streams", "v"),
    *("-show_entries", "stream=nb_read_frames,width,height:format=duration", "-of", "json"),
)


@dataclass(frozen=True)
class Video:
    """Frames that could be decoded, size in pixels, seconds."""

    frames: int
    width: int
    height: int
    seconds: float

    @classmethod
    def read(cls, probed: str) -> Video:
        """Return what ffprobe has printed."""
        data = json.loads(probed)
        (stream,) = data["streams"]
        seconds = float(data["format"]["duration"])
        return cls(int(stream["nb_read_frames"]), stream["width"], stream["height"], seconds)


def played(path: Path, *, cut: bool = False) -> Video:
    """Decode a video from its first frame to its last.

    Args:
        path: of the video.
        cut: True where its last frames may be incomplete; else a fault in it fails the test.
    """
    done = subprocess.run([*PROBE, str(path)], capture_output=True, text=True, check=True)
    assert cut or not done.stderr, done.stderr
    return Video.read(done.stdout)
