"""A video of the screen while an episode runs. The host takes it away piece by piece, so that it survives the desktop.

Every piece is whole in itself (fragmented MP4): what the host has by the time that a desktop is lost can be played.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from typing import TYPE_CHECKING

from .commands import spawn
from .faults import BadRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_FRAMES, WIDEST = 15, 1920
"""Frames a second and width in pixels that can be asked for."""

_READ = 1 << 16
_PART = 4 << 20
_KEPT = 16 << 20
"""Bytes that wait for the host; if it does not come, the recording waits as well."""
_PATIENCE = 10.0


class ScreenRecorder:
    """Records the screen once."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._process: subprocess.Popen[bytes] | None = None
        self._waiting = bytearray()
        self._taken = 0
        self._stopping = False
        self._ended = False
        self._problem = ""

    def start(self, frames_per_second: int, width: int) -> None:
        """Begin.

        Args:
            frames_per_second: 1 to `MOST_FRAMES`.
            width: of the video, in pixels; a smaller screen is not enlarged.

        Raises:
            BadRequest: the numbers are out of bounds, or a recording was begun before.
            GuestError: `launch_failed` where there is no ffmpeg.
        """
        if not (1 <= frames_per_second <= MOST_FRAMES and 16 <= width <= WIDEST):
            raise BadRequest(f"a recording has 1 to {MOST_FRAMES} frames a second and is 16 to {WIDEST} pixels wide")
        with self._changed:
            if self._process is not None:
                raise BadRequest("the screen of this desktop is or was recorded already")
            output = os.memfd_create("ffmpeg")
            command = _command(os.environ.get("DISPLAY", ""), frames_per_second, width)
            self._process = spawn(command, stdout=subprocess.PIPE, stderr=output)
        threading.Thread(target=self._read, args=(self._process, output), name="recording", daemon=True).start()

    def stop(self) -> None:
        """End the recording in order, if there is one; what is left of it can still be taken."""
        with self._changed:
            process, self._stopping = self._process, True
            self._changed.notify_all()
            if process is None or self._ended:
                return
        process.send_signal(signal.SIGINT)
        with self._changed:
            ended = self._changed.wait_for(lambda: self._ended, _PATIENCE)
        if not ended:
            process.kill()

    def take(self, since: int, wait: float) -> tuple[bytes, bool, str]:
        """Return what comes after byte number `since`; what is before it is forgotten.

        Args:
            since: bytes that the host has.
            wait: seconds in which there may come something.

        Returns:
            A piece of the video, whether it is the last, and why the recording ended by itself (empty if it did not).

        Raises:
            BadRequest: there is no recording, or these bytes are gone or never were.
        """
        with self._changed:
            if self._process is None:
                raise BadRequest("nothing is recorded here: start a recording first")
            done = since - self._taken
            if not 0 <= done <= len(self._waiting):
                raise BadRequest(f"the recording goes on at byte {self._taken}, not at {since}")
            del self._waiting[:done]
            self._taken = since
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._waiting or self._ended, wait)
            part = bytes(self._waiting[:_PART])
            return part, self._ended and len(part) == len(self._waiting), self._problem

    def _read(self, process: subprocess.Popen[bytes], output: int) -> None:
        assert process.stdout is not None  # noqa: S101  # a pipe was asked for
        with process.stdout as pipe:
            while data := os.read(pipe.fileno(), _READ):
                with self._changed:
                    self._changed.wait_for(lambda: len(self._waiting) < _KEPT or self._stopping)
                    self._waiting += data
                    self._changed.notify_all()
        code = process.wait()
        said = os.pread(output, 500, 0).decode("utf-8", "replace").strip()
        os.close(output)
        with self._changed:
            if not self._stopping:
                self._problem = f"ffmpeg ended with code {code}: {said or 'it said nothing'}"
            self._ended = True
            self._changed.notify_all()


def _command(display: str, frames_per_second: int, width: int) -> Sequence[str]:
    return [
        *("nice", "-n", "10", "ffmpeg", "-nostdin", "-loglevel", "error"),
        *("-f", "x11grab", "-framerate", str(frames_per_second), "-i", display),
        *("-vf", f"scale='trunc(min({width},iw)/2)*2':-2", "-pix_fmt", "yuv420p"),
        *("-c:v", "libx264", "-preset", "ultrafast", "-crf", "28", "-threads", "1"),
        *("-g", str(frames_per_second), "-movflags", "frag_keyframe+empty_moov+default_base_moof"),
        *("-f", "mp4", "pipe:1"),
    ]
