"""Checks on archives. They were made by the agent, so nothing is unpacked to disk and every size is bounded."""

from __future__ import annotations

import io
import lzma
import tarfile
import zipfile
import zlib
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from pytest_rogue.evaluators.protocol import Evaluator, Finding, GuestReader
from pytest_rogue.evaluators.reading import even_line_ends
from pytest_rogue.suite.model import GuestPath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    _Read = Callable[[int], bytes]

GZIP = b"\x1f\x8b"
"""With which all that gzip has compressed begins."""
MAX_MEMBERS = 10_000
MAX_UNPACKED = 256 * 1024 * 1024
"""Bytes of all members together; what claims more is not read further."""
MAX_TEXT = 1024 * 1024

_BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
)


class _TooLargeError(Exception):
    """The archive is larger than an evaluator reads."""


class ArchiveMembers(Evaluator):
    """Exactly these files are in a tar (any compression) or zip archive; `texts` adds what some of them hold.

    Folders do not count, and a leading `./` of a name is ignored. Where the name of the archive says gzip (`.gz`,
    `.tgz`), it has to be compressed so.
    """

    name: ClassVar[str] = "archive_members"

    path: GuestPath
    members: tuple[str, ...]
    texts: dict[str, str] = Field(default_factory=dict)

    def look(self, reader: GuestReader) -> Finding:
        """List, compare the names, then the texts."""
        wanted = set(self.members) | self.texts.keys()
        expected = f"an archive of {len(wanted)} files"
        data = reader.read_file(self.path)
        if self.path.endswith((".gz", ".tgz")) and not data.startswith(GZIP):
            return Finding(0.0, f"{expected}, compressed by gzip", "a file that is not")
        try:
            found = _contents(data, self.texts.keys())
        except _TooLargeError as error:
            return Finding(0.0, expected, str(error))
        except _BROKEN as error:
            return Finding(0.0, expected, f"no readable archive: {error}")
        told = [
            *(f"without {name}" for name in sorted(wanted - found.keys())),
            *(f"also {name}" for name in sorted(found.keys() - wanted)),
        ]
        if told:
            return Finding(0.0, expected, ", ".join(told))
        for name, text in self.texts.items():
            there = found[name].decode(errors="backslashreplace")
            if even_line_ends(there) != even_line_ends(text):
                return Finding(0.0, f"{name} with {text[:80]!r}", f"{there[:80]!r}")
        return Finding(1.0, expected, "these files")


def _contents(data: bytes, texts: AbstractSet[str]) -> dict[str, bytes]:
    """Return each file of an archive by name, with its content for those in `texts` and nothing for the others."""
    found: dict[str, bytes] = {}
    unpacked = 0
    for name, size, read in _zip_files(data) if data.startswith(b"PK") else _tar_files(data):
        unpacked += size
        if len(found) >= MAX_MEMBERS or unpacked > MAX_UNPACKED:
            raise _TooLargeError(f"more than {MAX_MEMBERS:,} files or {MAX_UNPACKED:,} bytes")
        clean = name.removeprefix("./")
        found[clean] = read(MAX_TEXT) if clean in texts else b""
    return found


def _zip_files(data: bytes) -> Iterator[tuple[str, int, _Read]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            if not member.is_dir():
                with archive.open(member) as stream:
                    yield member.filename, member.file_size, stream.read


def _tar_files(data: bytes) -> Iterator[tuple[str, int, _Read]]:
    # As a stream: a member's size is known before its data is unpacked, and the caller may stop there.
    with tarfile.open(fileobj=io.BytesIO(data), mode="r|*") as archive:
        for member in archive:
            if not member.isdir():
                stream = archive.extractfile(member) if member.isreg() else None
                yield member.name, member.size, stream.read if stream else _nothing


def _nothing(_limit: int) -> bytes:
    return b""
