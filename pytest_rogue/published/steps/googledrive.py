"""Bring the user's Google Drive into the state that a task begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from pytest_rogue.errors import InfraError
from pytest_rogue.published.drive.account import account_lacks
from pytest_rogue.published.drive.lease import drive_of
from pytest_rogue.published.protocol import Desk, Step
from pytest_rogue.published.settings_file import SettingsFile

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.published.drive.files import Drive

_LARGEST_UPLOAD = 5_000_000
"""Bytes that Google takes in one request together with the description of the file."""

DrivePath = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
"""Names of folders from the root of the Drive on; the last may be that of a file."""


class _Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    operation: ClassVar[str]


class Delete(_Arguments):
    """Delete what a query finds and the account owns, for good or into the trash."""

    operation = "delete"

    query: Annotated[str, Field(min_length=1)]
    trash: bool = False

    def apply(self, drive: Drive, desk: Desk) -> None:  # noqa: ARG002 - all operations are called alike
        """Do it."""
        for file in drive.find(self.query):
            if file.mine:
                drive.delete(file, trash=self.trash)


class MakeFolders(_Arguments):
    """Make a folder with its parents, where they are missing."""

    operation = "mkdirs"

    path: DrivePath

    def apply(self, drive: Drive, desk: Desk) -> None:  # noqa: ARG002 - all operations are called alike
        """Do it."""
        drive.make_folders(self.path)


class Upload(_Arguments):
    """Put a file of the web at a path. The published runner never gets so far, and nor does its convention."""

    operation = "upload"

    url: Annotated[str, Field(pattern=r"^https?://")]
    path: DrivePath

    def apply(self, drive: Drive, desk: Desk) -> None:
        """Do it."""
        if desk.convention == "upstream":
            return
        file = desk.downloads.fetch(self.url)
        if file.stat().st_size > _LARGEST_UPLOAD:
            raise InfraError(
                f"{self.url} has more than the {_LARGEST_UPLOAD:,} bytes that are uploaded to Google Drive"
            )
        drive.upload(self.path, file.read_bytes())


def _operation_of(arguments: Any) -> str:
    keys = arguments if isinstance(arguments, dict) else vars(arguments) if isinstance(arguments, BaseModel) else {}
    return "delete" if "query" in keys else "upload" if "url" in keys else "mkdirs"


_AnyArguments = Annotated[
    Annotated[Delete, Tag("delete")] | Annotated[MakeFolders, Tag("mkdirs")] | Annotated[Upload, Tag("upload")],
    Discriminator(_operation_of),
]


class GoogleDrive(Step):
    """Delete, make folders, upload, in the order given.

    Attributes:
        settings_file: `settings.yml` of the Drive.
        operation: what is to be done.
        args: how, one for each operation.
        skip_if_credentials_missing: makes no difference: the case is skipped in any event, before a desktop is made.
    """

    type: ClassVar[str] = "googledrive"

    settings_file: SettingsFile
    operation: list[Literal["delete", "mkdirs", "upload"]]
    args: list[_AnyArguments]
    skip_if_credentials_missing: bool = False

    @model_validator(mode="after")
    def _pairs(self) -> Self:
        wanted = [arguments.operation for arguments in self.args]
        if wanted != self.operation:
            raise ValueError(f"the args are those of {', '.join(wanted) or 'nothing'}, in this order")
        return self

    def apply(self, desk: Desk) -> None:
        """Do it, and keep the Drive for this episode."""
        drive = drive_of(desk, self.settings_file)
        for arguments in self.args:
            arguments.apply(drive, desk)

    def lacks(self, checkout: Path) -> str:
        """Say that there is no Drive."""
        return account_lacks(checkout, self.settings_file)

    def urls(self) -> tuple[str, ...]:
        """Return what is uploaded."""
        return tuple(arguments.url for arguments in self.args if isinstance(arguments, Upload))
