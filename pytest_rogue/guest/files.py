"""Files of the desktop, as its user sees them. `~` at the start of a path is the user's home."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .faults import BadRequest, GuestError, NotFound, TooLarge, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE_LIMIT = 64 << 20
ENTRY_LIMIT = 10_000

_NOT_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENXIO, errno.ENAMETOOLONG})
"""What a path may be wrong with so that there is no file: also a folder, and a socket (ENXIO), are none."""
_UNREADABLE = frozenset({errno.EACCES, errno.EPERM, errno.ELOOP})


class Listing(NamedTuple):
    """What is below a folder; each path relative to it, bytes that are not UTF-8 as backslash escapes.

    Attributes:
        entries: sorted by path.
        cut: True where there is more than `ENTRY_LIMIT` allows.
        unreadable: folders that could not be looked into.
    """

    entries: list[dict[str, Any]]
    cut: bool
    unreadable: list[str]


def resolve(path: str) -> Path:
    """Return an absolute path.

    Raises:
        BadRequest: it is relative, empty, or no path at all.
    """
    try:
        expanded = Path(path).expanduser()
    except RuntimeError:
        raise BadRequest(f"the path {path!r} begins with a user who does not exist") from None
    if "\0" in path or not expanded.is_absolute():
        raise BadRequest(f"the path {path!r} must begin with / or ~")
    return expanded


def read(path: str) -> bytes:
    """Return the content of a file.

    Raises:
        NotFound: there is no such file, or it is no regular file.
        TooLarge: it has more than `FILE_LIMIT` bytes.
        Unreadable: the user may not read it, or its links lead in a circle.
        GuestError: `read_failed`.
    """
    target = resolve(path)
    try:
        with os.fdopen(os.open(target, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:  # a pipe must not make us wait
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise NotFound(f"{path} is no regular file")
            data = file.read(FILE_LIMIT + 1)
    except OSError as error:
        raise _fault(error, path) from None
    if len(data) > FILE_LIMIT:
        raise TooLarge(f"{path} has more than {FILE_LIMIT} bytes")
    return data


def write(path: str, data: bytes, mode: int = 0o644) -> None:
    """Write a file, complete or not at all; its folders are made.

    Raises:
        BadRequest: the path is a folder's, or leads through a file.
        TooLarge: more than `FILE_LIMIT` bytes.
        GuestError: `unwritable`.
    """
    target = resolve(path)
    if len(data) > FILE_LIMIT:
        raise TooLarge(f"{path} would have more than {FILE_LIMIT} bytes")
    if target.is_dir():
        raise BadRequest(f"{path} is a folder")
    make_folder(str(target.parent))
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".", delete=False) as aside:
            try:
                aside.write(data)
                aside.flush()
                os.fchmod(aside.fileno(), mode)
                Path(aside.name).replace(target)
            except OSError:
                Path(aside.name).unlink()
                raise
    except OSError as error:
        raise GuestError("unwritable", f"{path} cannot be written: {error.strerror}") from None


def make_folder(path: str) -> None:
    """Make a folder with its parents; it may be there already.

    Raises:
        BadRequest: a file is in the way.
        GuestError: `unwritable`.
    """
    try:
        resolve(path).mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise BadRequest(f"{path} leads through a file") from None
    except OSError as error:
        raise GuestError("unwritable", f"the folder {path} cannot be made: {error.strerror}") from None


def entries(path: str) -> Listing:
    """Return what is in a folder and below it; links are not followed.

    Raises:
        NotFound: there is no such folder.
        Unreadable: the user may not look into it.
        GuestError: `read_failed`.
    """
    folder = resolve(path)
    try:
        os.scandir(folder).close()
    except OSError as error:
        raise _fault(error, path) from None
    unreadable: list[str] = []
    found = list(itertools.islice(_walk(folder, unreadable), ENTRY_LIMIT + 1))
    listed = [{"path": _relative(item.path, folder), **_status(status)} for item, status in found[:ENTRY_LIMIT]]
    hidden = sorted(_relative(place, folder) for place in unreadable)
    return Listing(sorted(listed, key=lambda entry: str(entry["path"])), len(found) > ENTRY_LIMIT, hidden)


def status(path: str) -> dict[str, Any]:
    """Return `type`, `size` and `mode` of what is at a path; a link is not followed.

    Raises:
        NotFound: there is nothing.
        Unreadable: the user may not look there.
        GuestError: `read_failed`.
    """
    try:
        return _status(resolve(path).lstat())
    except OSError as error:
        raise _fault(error, path) from None


def _fault(error: OSError, path: str) -> GuestError:
    if error.errno in _NOT_THERE:
        return NotFound(f"there is no file or folder {path}")
    if error.errno in _UNREADABLE:
        return Unreadable(f"{path} cannot be read: {error.strerror}")
    return GuestError("read_failed", f"{path} cannot be read: {error.strerror}")


def _walk(folder: Path, unreadable: list[str]) -> Iterator[tuple[os.DirEntry[str], os.stat_result]]:
    """Find everything below a folder that does not go away meanwhile; what cannot be looked into is added to a list."""
    waiting = [str(folder)]
    while waiting:
        place = waiting.pop()
        try:
            items = _items(place)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            unreadable.append(place)
            continue
        for item, found in items:
            yield item, found
            if stat.S_ISDIR(found.st_mode):
                waiting.append(item.path)


def _items(folder: str) -> list[tuple[os.DirEntry[str], os.stat_result]]:
    """Return what is in one folder, sorted by name; not more than is ever listed."""
    found = []
    with os.scandir(folder) as items:
        for item in itertools.islice(items, ENTRY_LIMIT + 1):
            with contextlib.suppress(FileNotFoundError):
                found.append((item, item.stat(follow_symlinks=False)))
    return sorted(found, key=lambda pair: pair[0].name)


def _relative(path: str, folder: Path) -> str:
    return os.fsencode(os.path.relpath(path, folder)).decode("utf-8", "backslashreplace")


def _status(found: os.stat_result) -> dict[str, Any]:
    kind = {stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}.get(stat.S_IFMT(found.st_mode), "file")
    return {"type": kind, "size": found.st_size, "mode": f"{stat.S_IMODE(found.st_mode):o}"}
