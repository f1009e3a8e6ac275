"""The folder of a run, and what everything in it is called."""

from __future__ import annotations

import difflib
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from pytest_rogue.errors import ConfigError
from pytest_rogue.records.disk import writing_in
from pytest_rogue.records.episode_folder import episode_folder_name

if TYPE_CHECKING:
    from pathlib import Path

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def new_run_id() -> str:
    """Return the id of a run that begins now: UTC time and four random hex digits, `20300131-235959-a1b2`."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


@dataclass(frozen=True, slots=True)
class RunFolder:
    """One run on disk. Make it with `create` or `open`."""

    path: Path

    @property
    def run_id(self) -> str:
        """The run's id, which is the folder's name."""
        return self.path.name

    @property
    def report(self) -> Path:
        """The report, `report.json`."""
        return self.path / "report.json"

    @property
    def earlier_report(self) -> Path:
        """The report of an earlier session, `report-before.json`, until a resumed one has written its own."""
        return self.path / "report-before.json"

    @property
    def page(self) -> Path:
        """The page for a browser, `report.html`."""
        return self.path / "report.html"

    @property
    def junit(self) -> Path:
        """The JUnit report, `junit.xml`."""
        return self.path / "junit.xml"

    @property
    def store(self) -> Path:
        """The store, `run.sqlite`."""
        return self.path / "run.sqlite"

    @property
    def episodes(self) -> Path:
        """Folder of the episodes' folders."""
        return self.path / "episodes"

    def episode(self, nodeid: str) -> Path:
        """Return the folder of an item's episode; it may not exist yet."""
        return self.episodes / episode_folder_name(nodeid)

    def set_report_aside(self) -> None:
        """Put the report of an earlier session out of force: from now on the store alone knows the run.

        Raises:
            InfraError: the folder cannot be written.
        """
        if self.report.exists():
            with writing_in(self.path):
                self.report.replace(self.earlier_report)

    @classmethod
    def create(cls, report_dir: Path, run_id: str) -> Self:
        """Make the folder of a new run.

        Args:
            report_dir: folder of all runs; it is made where it is missing.
            run_id: one path part of letters, digits, dots, dashes and underscores.

        Raises:
            ConfigError: the id cannot be a folder's name, or there is such a run already.
            InfraError: the folder cannot be made.
        """
        if not _RUN_ID.fullmatch(run_id):
            raise ConfigError(
                f"The run id {run_id!r} cannot name a folder; "
                "use up to 100 letters, digits, dots, dashes and underscores, a letter or digit first."
            )
        folder = cls((report_dir / run_id).absolute())
        if folder.path.is_dir() and any(folder.path.iterdir()) and not folder.store.exists():
            raise ConfigError(f"The folder {folder.path} is in use for something else; choose another --rogue-run-id.")
        if folder.store.exists():
            raise ConfigError(
                f"The run {folder.path} exists; continue it with --rogue-resume={run_id}, "
                "or choose another --rogue-run-id."
            )
        with writing_in(report_dir):
            folder.episodes.mkdir(parents=True, exist_ok=True)
        return folder

    @classmethod
    def open(cls, path: Path, *, else_do: str = "leave the option out to start a new run.") -> Self:
        """Return the folder of a run that was begun earlier.

        Args:
            path: the run's folder.
            else_do: advice for where there is no run at all.

        Raises:
            ConfigError: there is no run; the message names the runs that come closest.
        """
        folder = cls(path.absolute())
        if folder.store.is_file():
            return folder
        runs = sorted((store.parent.name for store in folder.path.parent.glob("*/run.sqlite")), reverse=True)
        closest = difflib.get_close_matches(folder.run_id, runs, n=3) or runs[:3]
        advice = f"did you mean {' or '.join(closest)}?" if closest else else_do
        raise ConfigError(f"{path} is not a run, it holds no run.sqlite; {advice}")
