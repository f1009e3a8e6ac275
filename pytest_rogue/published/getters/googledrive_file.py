"""Fetch files from the user's Google Drive."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from pydantic import Field, model_validator

from pytest_rogue.errors import GuestFileMissing
from pytest_rogue.published.drive.account import account_lacks
from pytest_rogue.published.drive.files import FOLDER, quoted
from pytest_rogue.published.drive.lease import drive_of
from pytest_rogue.published.getters.files import found_or_none
from pytest_rogue.published.protocol import Desk, Fetched, Getter
from pytest_rogue.published.settings_file import SettingsFile

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_rogue.published.drive.files import Drive

Names = Annotated[list[str], Field(min_length=1)]


class GoogleDriveFile(Getter):
    """One file by `path` or `query`, or several by `path_list` or `query_list`.

    Attributes:
        settings_file: `settings.yml` of the Drive.
        path: names of the folders from the root on, and of the file.
        query: for each of them a query, which is asked in the folder before.
        path_list: such a path for each file.
        query_list: such queries for each file.
        dest: what the files are called here.
        skip_if_credentials_missing: makes no difference: the case is skipped in any event, before a desktop is made.
    """

    type: ClassVar[str] = "googledrive_file"

    settings_file: SettingsFile
    path: Names | None = None
    query: Names | None = None
    path_list: Annotated[list[Names], Field(min_length=1)] | None = None
    query_list: Annotated[list[Names], Field(min_length=1)] | None = None
    dest: str | Names
    skip_if_credentials_missing: bool = False

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        given = [name for name in ("path", "query", "path_list", "query_list") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError("give one of path, query, path_list, and query_list")
        wanted = 1 if given[0] in {"path", "query"} else len(self._queries())
        if isinstance(self.dest, str) != (given[0] in {"path", "query"}) or len(self._names()) != wanted:
            raise ValueError(f"dest has to name what {given[0]} finds, one for each file")
        return self

    def get(self, desk: Desk) -> Fetched | list[Fetched | None]:
        """Return the file, or the files in their order."""
        drive = drive_of(desk, self.settings_file)
        as_published = desk.convention == "upstream"
        fetches = [
            partial(_fetch, drive, queries, name, as_published=as_published)
            for queries, name in zip(self._queries(), self._names(), strict=True)
        ]
        return fetches[0]() if isinstance(self.dest, str) else [found_or_none(fetch, desk) for fetch in fetches]

    def lacks(self, checkout: Path) -> str:
        """Say that there is no Drive."""
        return account_lacks(checkout, self.settings_file)

    def _names(self) -> list[str]:
        return [self.dest] if isinstance(self.dest, str) else self.dest

    def _queries(self) -> list[list[str]]:
        paths = [self.path] if self.path else self.path_list or []
        queries = [self.query] if self.query else self.query_list or []
        return [*map(_queries_of, paths), *queries]


def _queries_of(path: Sequence[str]) -> list[str]:
    *folders, name = path
    ways = [f"name = {quoted(folder)} and mimeType = '{FOLDER}' and trashed = false" for folder in folders]
    return [*ways, f"name = {quoted(name)} and trashed = false"]


def _fetch(drive: Drive, queries: Sequence[str], name: str, *, as_published: bool) -> Fetched:
    """Fetch a file; the published getter looks into one folder only, and cannot fetch Drive's own documents."""
    found = [file for file in drive.follow(queries, first_only=as_published) if file.kind != FOLDER]
    if as_published:
        found = [file for file in found[:1] if not file.native]
    if not found:
        raise GuestFileMissing(f"Google Drive has no file for {queries[-1]}, which should become {name}")
    return Fetched(name, drive.content(found[0], name))
