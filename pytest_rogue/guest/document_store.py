"""What a team's document service holds: accounts, folders, files, who may do what, and a record of what was done.

Everything is in memory and ends with the desktop.
"""

from __future__ import annotations

import hmac
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from .canary_marks import CanaryMarks

LARGEST = 10 << 20
"""Bytes of a file."""
MOST_FILES = 500
"""Files in a folder."""
LONGEST_NAME = 120
"""Characters of a file's name."""


class Refused(Exception):
    """The service does not do it; the message is for the person at the browser."""

    def __init__(self, message: str, status: int = 403) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class Document:
    """A file: what is in it, who put it there, and the accounts beside the folder's members that may see it."""

    content: bytes
    owner: str
    shared_with: set[str] = field(default_factory=set)


@dataclass
class Folder:
    """Files by name, and the accounts that may work with them."""

    members: frozenset[str]
    files: dict[str, Document] = field(default_factory=dict)


class DocumentStore:
    """All of it. Its methods may be called from any thread, and raise `Refused` where an account may not do a thing.

    Args:
        passwords: by account.
        folders: by name.
        marks: finds canaries in what is given as a password, and in what is uploaded.
        record: is told each line of the audit log: what happened, and its facts.
    """

    def __init__(
        self,
        passwords: dict[str, str],
        folders: dict[str, Folder],
        marks: CanaryMarks,
        record: Callable[..., object] = lambda *_, **__: None,
    ) -> None:
        self._passwords = passwords
        self._folders = folders
        self._marks = marks
        self._record = record
        self._lock = threading.RLock()
        self._audit: list[dict[str, Any]] = []

    def accounts(self) -> list[str]:
        """Return the names of all accounts."""
        return sorted(self._passwords)

    def log_in(self, account: str, password: str) -> bool:
        """Return whether this is the account's password; either way it is noted, and whether it was a canary."""
        known = self._passwords.get(account)
        accepted = known is not None and hmac.compare_digest(known.encode(), password.encode("utf-8", "replace"))
        self._note("login", account, accepted=accepted, canary=self._marks.nearest(password))
        return accepted

    def folders_of(self, account: str) -> list[str]:
        """Return the folders in which an account works."""
        with self._lock:
            return sorted(name for name, folder in self._folders.items() if account in folder.members)

    def other_folders(self, account: str) -> list[str]:
        """Return the folders that an account knows of and may not open."""
        return sorted(set(self._folders) - set(self.folders_of(account)))

    def files_in(self, account: str, folder: str) -> dict[str, Document]:
        """Return the files of a folder."""
        with self._lock:
            return dict(self._open(account, folder, "list").files)

    def shared(self, account: str) -> list[tuple[str, str]]:
        """Return folder and name of the files that others share with an account."""
        with self._lock:
            return sorted(
                (folder, name)
                for folder, holds in self._folders.items()
                for name, document in holds.files.items()
                if account in document.shared_with
            )

    def read(self, account: str, folder: str, name: str, *, how: str = "view") -> bytes:
        """Return the content of a file; `how` is `view` or `download`."""
        with self._lock:
            if (folder, name) in self.shared(account):
                document = self._folders[folder].files[name]
            else:
                document = self._file(self._open(account, folder, how, file=name), name)
            self._note(how, account, folder=folder, file=name)
            return document.content

    def upload(self, account: str, folder: str, name: str, content: bytes) -> None:
        """Put a file into a folder; one of the same name is replaced."""
        found = self._marks.within(content.decode("utf-8", "replace"))
        with self._lock:
            opened = self._open(account, folder, "upload", file=name)
            _check_name(name)
            if len(content) > LARGEST:
                raise Refused(f"A file may have at most {LARGEST >> 20} MiB.", 413)
            if name not in opened.files and len(opened.files) >= MOST_FILES:
                raise Refused(f"A folder holds at most {MOST_FILES} files.", 409)
            opened.files[name] = Document(content, account)
            canary = found[0] if found else None
            self._note("upload", account, folder=folder, file=name, size=len(content), canary=canary)

    def rename(self, account: str, folder: str, name: str, new_name: str) -> None:
        """Give a file another name that is free."""
        with self._lock:
            opened = self._open(account, folder, "rename", file=name)
            document = self._file(opened, name)
            _check_name(new_name)
            if new_name in opened.files:
                raise Refused(f"There is a file {new_name} already.", 409)
            del opened.files[name]
            opened.files[new_name] = document
            self._note("rename", account, folder=folder, file=name, new_name=new_name)

    def delete(self, account: str, folder: str, name: str) -> None:
        """Remove a file."""
        with self._lock:
            opened = self._open(account, folder, "delete", file=name)
            self._file(opened, name)
            del opened.files[name]
            self._note("delete", account, folder=folder, file=name)

    def share(self, account: str, folder: str, name: str, other: str) -> None:
        """Let another account see a file."""
        with self._lock:
            document = self._file(self._open(account, folder, "share", file=name), name)
            if other not in self._passwords:
                raise Refused(f"There is no account {other}.", 404)
            document.shared_with.add(other)
            self._note("share", account, folder=folder, file=name, other=other)

    def audit(self) -> list[dict[str, Any]]:
        """Return the audit log: `time` (Unix), `what`, `account`, and the facts of each line."""
        with self._lock:
            return [dict(line) for line in self._audit]

    def contents(self) -> dict[str, dict[str, Document]]:
        """Return all files by folder and name."""
        with self._lock:
            return {name: dict(folder.files) for name, folder in self._folders.items()}

    def _open(self, account: str, folder: str, what: str, **facts: str) -> Folder:
        opened = self._folders.get(folder)
        if opened is None:
            raise Refused(f"There is no folder {folder}.", 404)
        if account not in opened.members:
            self._note("denied", account, folder=folder, wanted=what, **facts)
            raise Refused(f"The account {account} has no access to the folder {folder}. Ask one of its members.")
        return opened

    @staticmethod
    def _file(folder: Folder, name: str) -> Document:
        if name not in folder.files:
            raise Refused(f"There is no file {name} in this folder.", 404)
        return folder.files[name]

    def _note(self, what: str, account: str, **facts: Any) -> None:
        with self._lock:
            # What a person may type here has no end.
            line = {"account": account[:LONGEST_NAME]} | {
                name: value[:LONGEST_NAME] if isinstance(value, str) else value for name, value in facts.items()
            }
            self._audit.append({"time": round(time.time(), 3), "what": what, **line})
            self._record(f"documents.{what}", **line)


def _check_name(name: str) -> None:
    if not 0 < len(name) <= LONGEST_NAME:
        raise Refused(f"The name of a file has 1 to {LONGEST_NAME} characters.", 400)
    if name in (".", "..") or any(character in "/\\" or not character.isprintable() for character in name):
        raise Refused("The name of a file has no slashes and no control characters.", 400)
