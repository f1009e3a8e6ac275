"""What all published tasks of a run work with."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rogue.desktops.password import desktop_password
from pytest_rogue.published.downloads import DownloadCache, default_folder
from pytest_rogue.published.protocol import Convention, Desk
from pytest_rogue.published.task import PublishedTask

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import ExitStack

    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.settings import Settings
    from pytest_rogue.suite.model import Case


@dataclass(frozen=True, slots=True)
class Supplies:
    """What all published tasks of a run work with.

    Attributes:
        downloads: files from the web.
        password: of the desktops' user.
        convention: of the evaluators.
    """

    downloads: DownloadCache
    password: str = field(default="password", repr=False)
    convention: Convention = "ours"

    @classmethod
    def of(cls, settings: Settings) -> Supplies:
        """Return those of a run with these settings."""
        folder = Path(settings.downloads).absolute() if settings.downloads else default_folder()
        convention: Convention = "upstream" if settings.evaluator_convention == "upstream" else "ours"
        return cls(DownloadCache(folder, settings.offline), desktop_password(settings.provider), convention)

    def why_not(self, case: Case) -> str:
        """Say why a case cannot be run here, empty where it can."""
        task = case.task
        if not isinstance(task, PublishedTask):
            return ""
        if lacks := task.lacks():
            return lacks
        missing = self.downloads.missing(task.urls) if self.downloads.offline else []
        if not missing:
            return ""
        return f"{len(missing)} files were not fetched yet, and --rogue-offline forbids it, first {missing[0]}"

    def desk(self, task: PublishedTask, guest: GuestClient, *, secrets: Mapping[str, str], held: ExitStack) -> Desk:
        """Return what the parts of a task work with in one episode.

        Args:
            task: the job.
            guest: of the episode's desktop.
            secrets: that the episode puts into the desktop.
            held: is closed when the episode is over.
        """
        return Desk(
            guest=guest,
            checkout=task.checkout,
            downloads=self.downloads,
            password=self.password,
            screen=guest.info().screen,
            convention=self.convention,
            secrets=secrets,
            held=held,
        )
