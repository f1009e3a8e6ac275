"""What can be judged after the fact: the episodes of a finished run, and the folder that keeps what is said of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_rogue.judging.run import open_run, recorded_episodes

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.judging.episodes import RecordedEpisode
    from pytest_rogue.records.run_folder import RunFolder


@dataclass(frozen=True, slots=True)
class Judgeable:
    """Episodes, and the run folder that keeps what is said about them."""

    folder: RunFolder
    episodes: tuple[RecordedEpisode, ...]

    @property
    def store(self) -> Path:
        """The store that keeps the judgments."""
        return self.folder.store


def judgeable(name: str, report_dir: Path, *, screens: bool = False) -> Judgeable:
    """Return what `--rogue-rejudge` names.

    Args:
        name: a run's id below `report_dir`, or its folder.
        report_dir: folder of the run folders.
        screens: True to bring the screenshots too.

    Raises:
        ConfigError: there is no such run.
        RecordError: its store is damaged.
    """
    folder = open_run(name, report_dir)
    return Judgeable(folder, recorded_episodes(folder, screens=screens))
