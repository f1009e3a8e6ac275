"""Checks of what is set up in Chromium: a preference, an extension."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from pytest_rogue.errors import GuestFileMissing
from pytest_rogue.evaluators.browser_profile import ProfileDamaged, close_browser, read_json
from pytest_rogue.evaluators.protocol import Evaluator, Finding, GuestReader
from pytest_rogue.suite.model import HOME, GuestPath

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_UNPACKED = 4
"""Where an extension comes from, as Chromium numbers it: a folder that a person has chosen."""

_PREFERENCES = ("Default/Preferences", "Default/Secure Preferences")
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
            files = _read_those_there(reader, _PREFERENCES if self.of == "profile" else ("Local State",))
        except ProfileDamaged as error:
            return Finding(0.0, expected, str(error))
        value = next((value for file in files if (value := _at(file, self.key)) is not None), self.unset)
        found = json.dumps(value, sort_keys=True)
        return Finding.of(found == json.dumps(self.equals, sort_keys=True), expected=expected, found=found[:150])


class BrowserExtension(Evaluator):
    """An extension that Chromium has loaded, unpacked, from the folder `path`; with `absent` none was."""

    name: ClassVar[str] = "browser_extension"
    disturbs: ClassVar[bool] = True

    path: GuestPath
    absent: bool = False

    def look(self, reader: GuestReader) -> Finding:
        """Close the browser and read."""
        expected = f"{'no extension' if self.absent else 'an extension that is switched on'} from {self.path}"
        close_browser(reader)
        try:
            files = _read_those_there(reader, _PREFERENCES)
        except ProfileDamaged as error:
            return Finding(0.0, expected, str(error))
        entries = [entry for file in files for entry in _unpacked(_at(file, ("extensions", "settings")))]
        folder = self.path.replace("~", str(HOME), 1).rstrip("/")
        here = [entry for entry in entries if str(entry.get("path", "")).rstrip("/") == folder]
        if self.absent or not here:
            folders = ", ".join(sorted({str(entry.get("path")) for entry in entries}))
            return Finding.of(self.absent and not here, expected=expected, found=f"from: {folders or 'no folder'}")
        switched_off = [reason for entry in here for reason in _list(entry.get("disable_reasons"))]
        return Finding.of(not switched_off, expected=expected, found="one switched off" if switched_off else "it")


def _read_those_there(reader: GuestReader, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the files of which at least the first is there."""
    files = [read_json(reader, names[0])]
    for name in names[1:]:
        try:
            files.append(read_json(reader, name))
        except GuestFileMissing:
            continue
    return files


def _at(value: Any, key: Sequence[str]) -> Any:
    for part in key:
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


def _unpacked(settings: Any) -> list[Mapping[str, Any]]:
    entries = settings.values() if isinstance(settings, dict) else ()
    return [entry for entry in entries if isinstance(entry, dict) and entry.get("location") == _UNPACKED]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
