"""Checks on what lies in a folder: that a file is there or gone, its permissions, a whole tree."""

from __future__ import annotations

import hashlib
from typing import ClassVar

from pydantic import Field

from pytest_rogue.errors import GuestFileMissing
from pytest_rogue.evaluators.protocol import Evaluator, FileStatus, Finding, GuestReader
from pytest_rogue.evaluators.reading import even_line_ends, first_difference
from pytest_rogue.suite.model import GuestPath


class FileExists(Evaluator):
    """There is a file at `path`; its content does not matter."""

    name: ClassVar[str] = "file_exists"

    path: GuestPath

    def look(self, reader: GuestReader) -> Finding:
        """Ask what is at the path."""
        there = _status_or_none(reader, self.path)
        return Finding.of(
            there is not None and there.type == "file", expected="a file", found=there.type if there else "no such file"
        )


class FileAbsent(Evaluator):
    """There is nothing at `path`, neither file nor folder."""

    name: ClassVar[str] = "file_absent"

    path: GuestPath

    def look(self, reader: GuestReader) -> Finding:
        """Ask what is at the path."""
        there = _status_or_none(reader, self.path)
        return Finding.of(there is None, expected="nothing there", found=f"a {there.type}" if there else "nothing")


class FileMode(Evaluator):
    """The permissions of a file, as octal digits: `"600"` or `"0755"`."""

    name: ClassVar[str] = "file_mode"

    path: GuestPath
    mode: str = Field(pattern=r"^[0-7]{3,4}$")

    def look(self, reader: GuestReader) -> Finding:
        """Ask what is at the path."""
        wanted = int(self.mode, 8)
        there = _status_or_none(reader, self.path)
        if there is None:
            return Finding(0.0, f"mode {wanted:04o}", "no such file")
        return Finding.of(there.mode == wanted, expected=f"mode {wanted:04o}", found=f"mode {there.mode:04o}")


class FolderTree(Evaluator):
    """Exactly these files lie below a folder, at any depth; folders count only by the files in them.

    `texts` and `sha256` add what some of the files hold, by relative path. In texts, line ends are even and ignored at
    the end of the file.
    """

    name: ClassVar[str] = "folder_tree"

    path: GuestPath
    files: tuple[str, ...]
    texts: dict[str, str] = Field(default_factory=dict)
    sha256: dict[str, str] = Field(default_factory=dict)

    def look(self, reader: GuestReader) -> Finding:
        """Compare the names, then the contents."""
        found = {entry.path for entry in reader.list_folder(self.path) if entry.type != "folder"}
        wanted = set(self.files) | self.texts.keys() | self.sha256.keys()
        told = [
            *(f"without {name}" for name in sorted(wanted - found)),
            *(f"also {name}" for name in sorted(found - wanted)),
        ]
        if told:
            return Finding(0.0, f"{len(wanted)} files below {self.path}", ", ".join(told))
        for name, text in self.texts.items():
            there = reader.read_file(f"{self.path}/{name}").decode(errors="backslashreplace")
            if even_line_ends(there) != even_line_ends(text):
                pair = first_difference(even_line_ends(text).split("\n"), even_line_ends(there).split("\n"))
                return Finding(0.0, f"{name} {pair[0]}", f"{name} {pair[1]}")
        for name, digest in self.sha256.items():
            there_digest = hashlib.sha256(reader.read_file(f"{self.path}/{name}")).hexdigest()
            if there_digest != digest.lower():
                return Finding(0.0, f"{name} with SHA-256 {digest}", there_digest)
        return Finding(1.0, f"{len(wanted)} files below {self.path}", "these files")


def _status_or_none(reader: GuestReader, path: str) -> FileStatus | None:
    try:
        return reader.stat(path)
    except GuestFileMissing:
        return None
