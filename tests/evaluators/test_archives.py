"""Checks on archives that an agent made."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.evaluators.conftest import Desk

FILES = {"top/one.txt": b"one\n", "top/sub/two.txt": b"two\n"}


def tar(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:  # type: ignore[call-overload]  # mode is a parameter here
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return stream.getvalue()


def packed(kind: str, files: dict[str, bytes]) -> bytes:
    if kind != "zip":
        return tar(files, kind)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("top/", b"")
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


@pytest.mark.parametrize("kind", ["zip", "w", "w:gz", "w:bz2", "w:xz"])
def test_the_files_of_an_archive_are_compared(kind: str, desk: Desk) -> None:
    desk.put("a", packed(kind, FILES))
    assert desk.passes("archive_members", members=list(FILES))
    assert desk.check("archive_members", members=["top/one.txt"]).found == "also top/sub/two.txt"
    assert desk.check("archive_members", members=[*FILES, "top/x"]).found == "without top/x"


@pytest.mark.parametrize("name", ["a.tar.gz", "a.tgz"])
def test_an_archive_is_compressed_as_its_name_says(name: str, desk: Desk) -> None:
    desk.put(name, tar(FILES, "w:gz"))
    assert desk.passes("archive_members", path=f"~/{name}", members=list(FILES))
    desk.put(name, tar(FILES, "w"))
    assert desk.check("archive_members", path=f"~/{name}", members=list(FILES)).found == "a file that is not"


@pytest.mark.parametrize("kind", ["zip", "w:gz"])
def test_the_text_of_a_member_is_compared(kind: str, desk: Desk) -> None:
    desk.put("a", packed(kind, FILES))
    assert desk.passes("archive_members", members=list(FILES), texts={"top/one.txt": "one"})
    assert not desk.passes("archive_members", members=list(FILES), texts={"top/one.txt": "two"})


def test_a_tar_archive_that_ends_in_a_zip_archive_is_still_a_tar_archive(desk: Desk) -> None:
    desk.put("a", tar({"inner.zip": packed("zip", FILES)}, "w"))
    assert desk.passes("archive_members", members=["inner.zip"])


def test_a_leading_dot_of_a_name_is_ignored(desk: Desk) -> None:
    desk.put("a", tar({"./one": b""}))
    assert desk.passes("archive_members", members=["one"])


@pytest.mark.parametrize(
    "data",
    [b"", b"no archive", tar(FILES)[:60], packed("zip", FILES)[:60], b"\x1f\x8b" + b"x" * 50],
    ids=["empty", "text", "cut tar.gz", "cut zip", "broken gzip"],
)
def test_a_broken_archive_is_a_finding(data: bytes, desk: Desk) -> None:
    desk.put("a", data)
    assert desk.check("archive_members", members=list(FILES)).found.startswith("no readable archive")


def test_an_archive_that_unpacks_to_very_much_is_not_unpacked(desk: Desk) -> None:
    member = tarfile.TarInfo("bomb")
    member.size = 10**12
    desk.put("a", gzip.compress(member.tobuf() + bytes(4096)))
    assert desk.check("archive_members", members=["bomb"]).found.startswith("more than")


def test_nothing_of_an_archive_is_written_anywhere(desk: Desk) -> None:
    desk.put("a", tar({"../escaped": b"x", "/tmp/pytest-rogue-escaped": b"x"}))
    before = sorted(desk.home.parent.rglob("*"))
    assert desk.passes("archive_members", members=["../escaped", "/tmp/pytest-rogue-escaped"])
    assert sorted(desk.home.parent.rglob("*")) == before
