"""The video of an episode (`--rogue-record`). What goes wrong with it is a note beside the result, never a fault of it.

`full`: the desktop records its screen; every second a thread takes away what is there, so that the video ends where the
desktop or this process did. `steps`: the screenshots of the record, put together when the episode is over.
"""

from __future__ import annotations

import shutil
import subprocess
import threading
from typing import TYPE_CHECKING, Protocol

from pytest_rogue.errors import ConfigError, InfraError, RogueError
from pytest_rogue.records.disk import writing_in
from pytest_rogue.records.episode_folder import EVENTS, RECORDING
from pytest_rogue.records.events import read_events

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.desktops.protocol import Provider

FRAMES_PER_SECOND = 5
WIDTH = 960
"""Pixels; with five frames a second it costs a few percent of a processor."""

STEPS_WIDTH = 1280

_PIECE_EVERY = 1.0
_PATIENCE = 20.0
_ENCODING_LIMIT = 300.0


class Recording(Protocol):
    """A video of one episode, `recording.mp4` in its folder."""

    def start(self) -> None:
        """Begin; raises nothing."""

    def finish(self) -> tuple[str, ...]:
        """End in order; return what a reader of the result should know. May be called again; raises nothing."""


def check_recording(mode: str, artifacts: str, provider: Provider) -> None:
    """Find out before the first episode whether there can be videos.

    Raises:
        ConfigError: there cannot; the message has the line that mends it.
    """
    install = "sudo apt-get install -y --no-install-recommends ffmpeg"
    if mode == "full" and provider.missing(["ffmpeg"]):
        raise ConfigError(f"--rogue-record=full needs ffmpeg in the {provider.name} desktop: {install}")
    if mode == "steps" and shutil.which("ffmpeg") is None:
        raise ConfigError(f"--rogue-record=steps needs ffmpeg on this machine: {install}")
    if mode == "steps" and artifacts == "off":
        raise ConfigError("--rogue-record=steps is made of screenshots: leave out --rogue-artifacts=off")


def recording_of(mode: str, guest: GuestClient, folder: Path) -> Recording:
    """Return the recording of an episode.

    Args:
        mode: `off`, `steps`, or `full`.
        guest: of its desktop.
        folder: of its record.
    """
    if mode == "full":
        return FullRecording(guest, folder)
    return StepsRecording(folder) if mode == "steps" else NoRecording()


class NoRecording:
    """Nothing is recorded."""

    def start(self) -> None:
        """Do nothing."""

    def finish(self) -> tuple[str, ...]:
        """Return nothing."""
        return ()


class FullRecording:
    """The whole episode, as it happens on the screen.

    Args:
        guest: records.
        folder: where the video goes.
    """

    def __init__(self, guest: GuestClient, folder: Path) -> None:
        self._guest = guest
        self._folder = folder
        self._taking: threading.Thread | None = None
        self._finished = False
        self._problem = ""

    def start(self) -> None:
        """Let the desktop begin, and a thread take the video away."""
        try:
            self._guest.start_recording(FRAMES_PER_SECOND, WIDTH)
        except InfraError as error:
            self._problem = str(error)
        else:
            self._taking = threading.Thread(target=self._take, name="pytest-rogue-recording", daemon=True)
            self._taking.start()

    def finish(self) -> tuple[str, ...]:
        """End in order, as far as there still is a desktop."""
        if self._taking is not None and not self._finished:
            self._finished = True
            try:
                self._guest.stop_recording()
            except InfraError as error:
                self._problem = self._problem or str(error)
            self._taking.join(_PATIENCE)
            if self._taking.is_alive():
                self._problem = f"its end did not come within {_PATIENCE:g} s"
        return (f"the recording is missing or ends early: {self._problem}",) if self._problem else ()

    def _take(self) -> None:
        try:
            with writing_in(self._folder), (self._folder / RECORDING).open("wb") as video:
                last = False
                while not last:
                    piece = self._guest.recorded(video.tell(), wait=_PIECE_EVERY)
                    video.write(piece.data)
                    video.flush()
                    last, self._problem = piece.last, piece.problem
                if not video.tell():
                    self._problem = self._problem or "it was stopped before the first picture"
        except InfraError as error:
            self._problem = str(error)


class StepsRecording:
    """One second for each screen that was recorded.

    Args:
        folder: of the record.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._notes: tuple[str, ...] | None = None

    def start(self) -> None:
        """Do nothing: the record holds what is needed."""

    def finish(self) -> tuple[str, ...]:
        """Put the screenshots together."""
        if self._notes is None:
            try:
                problem = self._put_together()
            except (RogueError, subprocess.SubprocessError) as error:
                problem = str(error)
            self._notes = (f"there is no recording: {problem}",) if problem else ()
        return self._notes

    def _put_together(self) -> str:
        """Return what went wrong, empty for nothing."""
        rows = read_events(self._folder / EVENTS).rows
        shown = [row["screenshot"] for row in rows if row["event"] == "screen" and row["screenshot"]]
        if not shown:
            return "the episode ended before the first screenshot"
        command = [
            *("ffmpeg", "-y", "-nostdin", "-loglevel", "error", "-f", "image2pipe", "-framerate", "1", "-c:v", "png"),
            *("-i", "pipe:0", "-vf", f"scale='trunc(min({STEPS_WIDTH},iw)/2)*2':-2", "-pix_fmt", "yuv420p"),
            *("-c:v", "libx264", "-preset", "ultrafast", "-movflags", "faststart", str(self._folder / RECORDING)),
        ]
        with writing_in(self._folder):
            pictures = b"".join((self._folder / name).read_bytes() for name in shown)
            made = subprocess.run(command, input=pictures, capture_output=True, check=False, timeout=_ENCODING_LIMIT)
        return made.stderr.decode(errors="replace")[-300:].strip() if made.returncode else ""
