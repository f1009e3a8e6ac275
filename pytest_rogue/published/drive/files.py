"""What the published tasks do with the files of a Drive: find, delete, make folders, upload, fetch."""

from __future__ import annotations

import json
import mimetypes
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import InfraError
from pytest_rogue.published.drive.faults import DriveFileGone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.published.drive.exchange import DriveExchange

FOLDER = "application/vnd.google-apps.folder"
ROOT = "root"
MOST = 100
"""Files that one search may find. A Drive that has more of them is no account made for tests."""
_MOST_PAGES = MOST  # a page may have any number of files, also none

_NATIVE = "application/vnd.google-apps."
_OFFICE = "application/vnd.openxmlformats-officedocument."
_EXPORTS = {
    ".docx": f"{_OFFICE}wordprocessingml.document",
    ".xlsx": f"{_OFFICE}spreadsheetml.sheet",
    ".pptx": f"{_OFFICE}presentationml.presentation",
    ".pdf": "application/pdf",
    ".txt": "text/plain",
}
_QUOTED_OR_TITLE = re.compile(r"'(?:[^'\\]|\\.)*'|\btitle\b")


@dataclass(frozen=True, slots=True)
class DriveFile:
    """A file or folder.

    Attributes:
        id: of the file.
        name: of the file; several may have the same.
        kind: its MIME type.
        mine: True where the account owns it.
    """

    id: str
    name: str
    kind: str
    mine: bool

    @property
    def native(self) -> bool:
        """True for a document that lives in Drive alone and has no bytes of its own."""
        return self.kind.startswith(_NATIVE)


class Drive:
    """A Drive.

    Args:
        exchange: asks it; whoever made that closes it.
    """

    def __init__(self, exchange: DriveExchange) -> None:
        self._exchange = exchange

    def owner(self) -> str:
        """Return the address of the account."""
        user = self._exchange.ask("GET", "/drive/v3/about", params={"fields": "user(emailAddress)"}).get("user")
        return str(user.get("emailAddress", "")) if isinstance(user, dict) else ""

    def find(self, query: str) -> tuple[DriveFile, ...]:
        """Return all that a query finds, what was changed last coming first.

        Args:
            query: as a task file has it; `title`, the older word for `name`, is understood.

        Raises:
            InfraError: it finds more than `MOST` files, or the Drive cannot be asked.
        """
        asked = {
            "q": _with_name(query),
            "orderBy": "modifiedTime desc",
            "pageSize": str(MOST),
            "fields": "nextPageToken,files(id,name,mimeType,ownedByMe)",
        }
        found: list[DriveFile] = []
        token: dict[str, str] = {}
        for _ in range(_MOST_PAGES):
            page = self._exchange.ask("GET", "/drive/v3/files", params=asked | token)
            found += [_file(entry) for entry in page.get("files", ())]
            if len(found) > MOST:
                break
            if not page.get("nextPageToken"):
                return tuple(found)
            token = {"pageToken": str(page["nextPageToken"])}
        raise InfraError(
            f"more than {MOST} files in Google Drive answer to {query!r}: use an account made for tests alone"
        )

    def follow(self, queries: Sequence[str], *, first_only: bool = False) -> tuple[DriveFile, ...]:
        """Return what the last query finds in the folders that the one before found, and so on from the root.

        Args:
            queries: one for each folder on the way, and the last for the file.
            first_only: whether of several folders of one name only the one that was changed last is looked into.
        """
        found: tuple[DriveFile, ...] = ()
        parents: Sequence[str] = (ROOT,)
        for query in queries:
            inside = " or ".join(f"{quoted(parent)} in parents" for parent in parents)
            found = self.find(f"({query}) and ({inside})")
            if not found:
                return ()
            parents = [file.id for file in (found[:1] if first_only else found)]
        return found

    def delete(self, file: DriveFile, *, trash: bool) -> None:
        """Delete a file for good, with all that is in it if it is a folder; or only move it to the trash."""
        path = f"/drive/v3/files/{file.id}"
        if trash:
            self._exchange.ask("PATCH", path, json={"trashed": True})
            return
        with suppress(DriveFileGone):  # a folder that was deleted has taken along what was in it
            self._exchange.read("DELETE", path)

    def make_folders(self, path: Sequence[str]) -> str:
        """Make a folder with its parents where they are missing, and return its id."""
        parent = ROOT
        for name in path:
            there = self.find(
                f"name = {quoted(name)} and mimeType = '{FOLDER}' and trashed = false and {quoted(parent)} in parents"
            )
            parent = there[0].id if there else self._make_folder(name, parent)
        return parent

    def _make_folder(self, name: str, parent: str) -> str:
        described = {"name": name, "mimeType": FOLDER, "parents": [parent]}
        return _file(self._exchange.ask("POST", "/drive/v3/files", json=described)).id

    def upload(self, path: Sequence[str], data: bytes) -> None:
        """Put a file at a path; its folders are made."""
        *folders, name = path
        described = json.dumps({"name": name, "parents": [self.make_folders(folders)]})
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        boundary = secrets.token_hex(16)
        head = f"--{boundary}\r\nContent-Type: application/json\r\n\r\n{described}\r\n"
        head += f"--{boundary}\r\nContent-Type: {kind}\r\n\r\n"
        body = head.encode() + data + f"\r\n--{boundary}--\r\n".encode()
        form = {"Content-Type": f"multipart/related; boundary={boundary}"}
        params = {"uploadType": "multipart"}
        self._exchange.ask("POST", "/upload/drive/v3/files", params=params, content=body, headers=form)

    def content(self, file: DriveFile, name: str) -> bytes:
        """Return the bytes of a file; a document that lives in Drive alone is exported to the type of `name`."""
        path = f"/drive/v3/files/{file.id}"
        if not file.native:
            return self._exchange.read("GET", path, params={"alt": "media"})
        suffix = PurePosixPath(name).suffix.lower()
        if suffix not in _EXPORTS:
            raise InfraError(f"{file.name} is a document of Google Drive's own, and cannot be had as {name}")
        return self._exchange.read("GET", f"{path}/export", params={"mimeType": _EXPORTS[suffix]})


def quoted(text: str) -> str:
    """Return a text as a value in a query."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _with_name(query: str) -> str:
    return _QUOTED_OR_TITLE.sub(lambda found: "name" if found[0] == "title" else found[0], query)


def _file(entry: Any) -> DriveFile:
    try:
        return DriveFile(
            str(entry["id"]), str(entry.get("name", "")), str(entry.get("mimeType", "")), bool(entry.get("ownedByMe"))
        )
    except (KeyError, TypeError, AttributeError):
        raise InfraError("Google Drive answered with a file that has no id") from None
