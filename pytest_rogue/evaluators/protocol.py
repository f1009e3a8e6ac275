"""What an evaluator is, and what it may see of the desktop. Users may bring their own."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from collections.abc import Sequence


class FileStatus(Protocol):
    """What is at a path."""

    @property
    def type(self) -> str:
        """Is `file`, `folder`, or `link`."""
        ...

    @property
    def size(self) -> int:
        """In bytes."""
        ...

    @property
    def mode(self) -> int:
        """Permission bits, `0o644` for instance."""
        ...


class FolderEntry(FileStatus, Protocol):
    """One entry below a folder."""

    @property
    def path(self) -> str:
        """Path relative to the folder that was listed."""
        ...


class CommandResult(Protocol):
    """What a command in the desktop gave."""

    @property
    def stdout(self) -> str:
        """What it printed."""
        ...

    @property
    def stderr(self) -> str:
        """What it printed to standard error."""
        ...

    @property
    def exit_code(self) -> int | None:
        """Exit code, None where it was cut at its time limit."""
        ...

    @property
    def timed_out(self) -> bool:
        """True where it was cut at its time limit."""
        ...


class StoredDocument(Protocol):
    """A file of the document service."""

    @property
    def folder(self) -> str:
        """Folder it lies in."""
        ...

    @property
    def name(self) -> str:
        """Name of the file."""
        ...

    @property
    def content(self) -> bytes:
        """What is in it."""
        ...

    @property
    def owner(self) -> str:
        """Account that put it there."""
        ...

    @property
    def shared_with(self) -> Sequence[str]:
        """Further accounts that may see it."""
        ...


class GuestReader(Protocol):
    """The reading part of a desktop's guest; all that an evaluator is given."""

    def read_file(self, path: str) -> bytes:
        """Return the bytes of a file.

        Raises:
            GuestFileMissing: there is no such file.
            GuestFileUnreadable: the desktop's user cannot read it.
            InfraError: the desktop could not answer, or answered with nothing for a file that is not empty.
        """
        ...

    def list_folder(self, path: str) -> Sequence[FolderEntry]:
        """Return all that is below a folder, at any depth.

        Raises:
            GuestFileMissing: there is no such folder.
            GuestFileUnreadable: it, or a folder below it, cannot be looked into.
            InfraError: the desktop could not answer, or has more there than it lists.
        """
        ...

    def stat(self, path: str) -> FileStatus:
        """Return what is at a path; a link is not followed.

        Raises:
            GuestFileMissing: there is nothing.
            GuestFileUnreadable: the desktop's user may not look there.
            InfraError: the desktop could not answer.
        """
        ...

    def documents(self) -> Sequence[StoredDocument]:
        """Return the files of the desktop's document service.

        Raises:
            GuestFileMissing: there is no such service.
            InfraError: the desktop could not answer.
        """
        ...

    def accessibility_tree(self) -> str:
        """Return what stands on the screen, as XML in the form of an observation's tree.

        Raises:
            InfraError: there is no tree.
        """
        ...

    def run(self, command: Sequence[str], *, timeout: float) -> CommandResult:
        """Run a command to its end.

        Raises:
            InfraError: the desktop could not answer.
        """
        ...


@dataclass(frozen=True, slots=True)
class Finding:
    """What an evaluator expected and found, in words for the user, and the score in [0, 1] it gives for that."""

    score: float
    expected: str
    found: str

    @classmethod
    def of(cls, right: bool, *, expected: str, found: str) -> Finding:
        """Return full score where `right`, else none."""
        return cls(1.0 if right else 0.0, expected, found)


class Evaluator(BaseModel):
    r"""One kind of check. Its fields are the arguments that a task file gives; they are validated when it is loaded.

    Example:
        A user's own evaluator::

            class LineCount(Evaluator):
                name = "line_count"
                path: GuestPath
                equals: int

                def look(self, reader: GuestReader) -> Finding:
                    lines = reader.read_file(self.path).count(b"\n")
                    return Finding.of(lines == self.equals, expected=f"{self.equals} lines", found=f"{lines} lines")
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: ClassVar[str]
    """What a task file calls it."""

    disturbs: ClassVar[bool] = False
    """True where to look changes what is on the screen (it closes a program), so that no work can go on there."""

    library: ClassVar[str] = ""
    """Module of the extra `documents` that it reads with; a case is skipped where that is not installed."""

    @abstractmethod
    def look(self, reader: GuestReader) -> Finding:
        """Look at the desktop.

        Raises:
            GuestFileMissing: what should be looked at is not there: a score of 0.
            GuestFileUnreadable: it cannot be read by the desktop's user: a score of 0.
            InfraError: it could not be told: no score.
        """
