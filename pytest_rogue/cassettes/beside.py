"""Bytes of a tape: pictures and other files lie beside it, named by their content; what is text stands in it."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import CassetteError
from pytest_rogue.records.disk import write_atomically, writing_in

if TYPE_CHECKING:
    from pathlib import Path

_TEXT, _FILE = "$text", "$file"
_NAME = re.compile(r"[0-9a-f]{32}\.(png|bin)")


class Beside:
    """The folder `files` beside the tapes.

    Args:
        folder: that the tapes are in.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "files"

    def put(self, data: Any, *, keep: bool = True) -> Any:
        """Return `data` with its bytes replaced by a text or the name of a file, as JSON can have it.

        Args:
            data: dicts, lists, strings, numbers, and bytes anywhere in them.
            keep: False to name the files only, where the data is merely compared.
        """
        if isinstance(data, bytes):
            return self._put_bytes(data, keep=keep)
        if isinstance(data, dict):
            return {name: self.put(value, keep=keep) for name, value in data.items()}
        if isinstance(data, list | tuple):
            return [self.put(value, keep=keep) for value in data]
        return data

    def fetch(self, data: Any) -> Any:
        """Return what `put` was given.

        Raises:
            CassetteError: a file is missing.
        """
        if isinstance(data, list):
            return [self.fetch(value) for value in data]
        if not isinstance(data, dict):
            return data
        if data.keys() == {_TEXT}:
            return data[_TEXT].encode()
        if data.keys() == {_FILE}:
            return self._read(data[_FILE])
        return {name: self.fetch(value) for name, value in data.items()}

    def _put_bytes(self, data: bytes, *, keep: bool) -> dict[str, str]:
        picture = data.startswith(b"\x89PNG")
        if not picture:
            try:
                return {_TEXT: data.decode()}
            except UnicodeDecodeError:
                pass  # it goes into a file
        name = f"{hashlib.sha256(data).hexdigest()[:32]}.{'png' if picture else 'bin'}"
        path = self._folder / name
        if keep and not path.exists():
            with writing_in(self._folder):
                self._folder.mkdir(parents=True, exist_ok=True)
            write_atomically(path, data)
        return {_FILE: name}

    def _read(self, name: str) -> bytes:
        if not _NAME.fullmatch(name):
            raise CassetteError(f"{name!r} is no name of a file beside a cassette")
        try:
            return (self._folder / name).read_bytes()
        except OSError as error:
            raise CassetteError(f"the cassette needs {self._folder / name}: {error.strerror}") from error
