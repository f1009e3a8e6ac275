"""The files of an episode that a CI server may show beside its test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.records.episode_folder import EVENTS, RESULT
from pytest_rogue.reporting.timeline import read_timeline

if TYPE_CHECKING:
    from pathlib import Path


def attachments_of(folder: Path, start: Path) -> list[str]:
    """Return a line `[[ATTACHMENT|path]]` for result, events, and the screenshots that tell the most.

    Those are the first that shows the obstacle, the one that was answered, and the last.

    Args:
        folder: of the episode.
        start: where the tests were started; paths below it are relative to it.
    """
    timeline = read_timeline(folder)
    told = sorted({*timeline.jumps(None).values(), len(timeline.moments) - 1})
    pictures = [timeline.moments[number].screen.get("screenshot") for number in told if number >= 0]
    names = dict.fromkeys([RESULT, EVENTS, *(str(picture) for picture in pictures if picture)])
    paths = [folder / name for name in names if (folder / name).is_file()]
    shown = [path.relative_to(start) if path.is_relative_to(start) else path for path in paths]
    return [f"[[ATTACHMENT|{path}]]" for path in shown]
