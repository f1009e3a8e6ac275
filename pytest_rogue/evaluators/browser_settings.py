"""Checks of what is set up in Chromium: a preference, an extension."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from pytest_rogue.errors import GuestFileMissing
from pytest_rogue.evaluators.browser_profile import FOLDER, ProfileDamaged, close_browser, read_json
from pytest_rogue.evaluators.protocol import Evaluator, Finding, GuestReader
from pytest_rogue.suite.model import HOME, GuestPath

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

UNPACKED = 4
"""Where an extension comes from, as Chromium numbers it: a folder that a person has chosen."""

PREFERENCES = ("Default/Preferences", "Default/Secure Preferences")
"""The second holds what programs like to change behind a person's back."""


class BrowserPreference(Evaluator):
    """A preference of Chromium's profile, or with `of = "browser"` one that holds for all profiles.

    `key` is the way to it. `equals` is compared with its type; a key that is not there counts as `unset`.
    """

    name: ClassVar[str] = "browser_preference"
    disturbs: ClassVar[bool] = True

    key: tuple[str, ...] = Field(min_length=1)
    equals: Any
    unset: Any = None
    of: Literal["profile", "browser"] = "profile"

    def look(self, reader: GuestReader) -> Finding:
        """Close the browser and read."""
        expected = f"{'.'.join(self.key)} = {json.dumps(self.equals)}"
        close_browser(reader)
        try:
            files = read_those_there(reader, PREFERENCES if self.of == "profile" else ("Local State",))
        except ProfileDamaged as error:
            return Finding(0.0, expected, str(error))
        value = next((value for file in files if (value := value_at(file, self.key)) is not None), self.unset)
        found = json.dumps(value, sort_keys=True)
        return Finding.of(found == json.dumps(self.equals, sort_keys=True), expected=expected, found=found[:150])


class BrowserExtension(Evaluator):
    """An extension that Chromium has loaded, unpacked, from the folder `path`; with `absent` none was.

    `without` are folders from none of which another one may have come.
    """

    name: ClassVar[str] = "browser_extension"
    disturbs: ClassVar[bool] = True

    path: GuestPath
    absent: bool = False
    without: tuple[GuestPath, ...] = ()

    def look(self, reader: GuestReader) -> Finding:
        """Close the browser and read."""
        expected = f"{'no extension' if self.absent else 'an extension that is switched on'} from {self.path}"
        close_browser(reader)
        try:
            files = read_those_there(reader, PREFERENCES)
        except ProfileDamaged as error:
            return Finding(0.0, expected, str(error))
        entries = [entry for entry in extensions_in(files) if entry.get("location") == UNPACKED]
        folders = [str(entry.get("path", "")).rstrip("/") for entry in entries]
        here = [entry for entry, folder in zip(entries, folders, strict=True) if folder == _folder(self.path)]
        unwanted = sorted(set(folders) & set(map(_folder, self.without)))
        if unwanted:
            return Finding(0.0, f"none from {', '.join(self.without)}", f"from: {', '.join(unwanted)}")
        if self.absent or not here:
            found = f"from: {', '.join(sorted(set(folders))) or 'no folder'}"
            return Finding.of(self.absent and not here, expected=expected, found=found)
        switched_off = [reason for entry in here for reason in _list(entry.get("disable_reasons"))]
        return Finding.of(not switched_off, expected=expected, found="one switched off" if switched_off else "it")


def read_those_there(reader: GuestReader, names: Sequence[str], folder: str = FOLDER) -> list[dict[str, Any]]:
    """Return the JSON files of a profile, of which at least the first is there; call `close_browser` before.

    Raises:
        ProfileDamaged: one is no JSON object.
        GuestFileMissing: the first is not there.
    """
    files = [read_json(reader, names[0], folder)]
    for name in names[1:]:
        try:
            files.append(read_json(reader, name, folder))
        except GuestFileMissing:
            continue
    return files


def value_at(value: Any, key: Sequence[str]) -> Any:
    """Return what stands at the end of a way through JSON objects, None where it ends before."""
    for part in key:
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


def extensions_in(files: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return what preferences tell of each extension."""
    known = [value_at(file, ("extensions", "settings")) for file in files]
    entries = [entry for extensions in known if isinstance(extensions, dict) for entry in extensions.values()]
    return [entry for entry in entries if isinstance(entry, dict)]


def _folder(path: str) -> str:
    return path.replace("~", str(HOME), 1).rstrip("/")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
