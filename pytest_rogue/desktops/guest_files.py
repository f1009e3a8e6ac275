"""The files of a desktop, as its guest reads and writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pytest_rogue.desktops.guest_exchange import GuestExchange
from pytest_rogue.desktops.guest_http import Refused
from pytest_rogue.desktops.guest_types import EmptyAnswer, FileStatus, FolderEntry, ListAnswer, SizeAnswer
from pytest_rogue.desktops.guest_wire import read_answer
from pytest_rogue.errors import GuestFault, GuestFileMissing, GuestFileUnreadable

if TYPE_CHECKING:
    from pathlib import PurePosixPath

    from pytest_rogue.desktops.guest_http import Reply

_T = TypeVar("_T")


class GuestFiles(GuestExchange):
    """Reads, writes and lists what lies in a desktop."""

    def read_file(self, path: str | PurePosixPath) -> bytes:
        """Return the content of a file.

        Raises:
            GuestFileMissing: there is no such file.
            GuestFileUnreadable: the desktop's user may not read it, its links lead in a circle, or it is too large.
            GuestFault: it came empty although it has a size, or the guest failed.
        """
        reply = self._exchange_about(path, "GET", "file")
        if not reply.body:
            self._prove_empty(path)
        return reply.body

    def write_file(self, path: str | PurePosixPath, data: bytes, mode: int = 0o644) -> None:
        """Write a file with these permission bits; its folders are made."""
        params = {"path": str(path), "mode": f"{mode:o}"}
        written = self._ask(SizeAnswer, "PUT", "file", params=params, content=data, timeout=60.0).size
        if written != len(data):
            raise GuestFault(f"the guest wrote {written} of {len(data)} bytes to {path}")

    def list_folder(self, path: str | PurePosixPath) -> tuple[FolderEntry, ...]:
        """Return what is in a folder and below it, sorted by path.

        Raises:
            GuestFileMissing: there is no such folder.
            GuestFileUnreadable: it, or a folder below it, cannot be looked into.
            GuestFault: there is more in it than the guest lists.
        """
        listed = self._ask_about(ListAnswer, path, "list")
        if listed.cut:
            raise GuestFault(f"{path} holds more than the {len(listed.entries):,} entries that a desktop lists")
        if listed.unreadable:
            raise GuestFileUnreadable(f"{path}: the folder {listed.unreadable[0]} in it cannot be looked into")
        return listed.entries

    def stat(self, path: str | PurePosixPath) -> FileStatus:
        """Return what is at a path; a link is not followed.

        Raises:
            GuestFileMissing: there is nothing.
            GuestFileUnreadable: the desktop's user may not look there.
        """
        return self._ask_about(FileStatus, path, "stat")

    def make_folder(self, path: str | PurePosixPath) -> None:
        """Make a folder with its parents; it may be there already."""
        self._ask(EmptyAnswer, "POST", "folder", json={"path": str(path)})

    def _ask_about(self, kind: type[_T], path: str | PurePosixPath, what: str) -> _T:
        return read_answer(kind, self._exchange_about(path, "GET", what).body, f"GET {what}")

    def _exchange_about(self, path: str | PurePosixPath, method: str, what: str) -> Reply:
        try:
            return self._exchange(method, what, params={"path": str(path)}, timeout=60.0)
        except Refused as refused:
            if refused.status == 404:
                raise GuestFileMissing(f"{path}: there is no such file or folder in the desktop") from refused
            if refused.status in (403, 413):
                raise GuestFileUnreadable(f"{path} cannot be read in the desktop: {refused}") from refused
            raise

    def _prove_empty(self, path: str | PurePosixPath) -> None:
        """A file may be empty, but an answer that lost its content looks the same: let its status tell."""
        status = self.stat(path)
        if status.size and status.type != "link":
            raise GuestFault(f"{path} came empty, but has {status.size} bytes; it cannot be judged")
