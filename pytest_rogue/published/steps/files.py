"""Steps that put files into the desktop: from the web, and from the checkout."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from pytest_rogue.published.checkout_files import find_file, relative_path
from pytest_rogue.published.guest_paths import GuestPath, at_home
from pytest_rogue.published.protocol import Desk, Step


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    path: GuestPath


class WebFile(_File):
    """A file of the web, and where it goes."""

    url: str = Field(pattern=r"^https?://[^\s/]+/\S*$")


class CheckoutFile(_File):
    """A file of the checkout, and where it goes."""

    local_path: Annotated[str, AfterValidator(relative_path)]


class Download(Step):
    """Files of the web, each fetched once on this machine, are written to the desktop."""

    type: ClassVar[str] = "download"

    files_: tuple[WebFile, ...] = Field(alias="files", min_length=1)

    def apply(self, desk: Desk) -> None:
        """Fetch and write them all."""
        for file in self.files_:
            desk.guest.write_file(at_home(file.path), desk.downloads.fetch(file.url).read_bytes())

    def urls(self) -> tuple[str, ...]:
        """Return where they come from."""
        return tuple(file.url for file in self.files_)


class UploadFile(Step):
    """Files of the checkout are written to the desktop."""

    type: ClassVar[str] = "upload_file"

    files_: tuple[CheckoutFile, ...] = Field(alias="files", min_length=1)

    def apply(self, desk: Desk) -> None:
        """Write them all."""
        for file in self.files_:
            desk.guest.write_file(at_home(file.path), find_file(desk.checkout, file.local_path).read_bytes())

    def files(self) -> tuple[str, ...]:
        """Return their paths in the checkout."""
        return tuple(file.local_path for file in self.files_)
