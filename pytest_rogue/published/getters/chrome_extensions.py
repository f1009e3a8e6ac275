"""Which extensions the browser has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pytest_rogue.errors import GuestFileMissing, GuestFileUnreadable
from pytest_rogue.evaluators.browser_profile import ProfileDamaged, read_json
from pytest_rogue.evaluators.browser_settings import UNPACKED, extensions_in, value_at
from pytest_rogue.published.browser_place import BrowserPlace, find_browser
from pytest_rogue.published.protocol import Getter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rogue.published.protocol import Desk


class UnpackedExtensions(Getter):
    """The folders that extensions were loaded from, unpacked, by a person."""

    type: ClassVar[str] = "find_unpacked_extension_path"

    def get(self, desk: Desk) -> list[str]:
        """Close the browser and read."""
        known = extensions_in(find_browser(desk.guest).preferences())
        return [str(entry.get("path", "")).rstrip("/") for entry in known if entry.get("location") == UNPACKED]


class InstalledExtensions(Getter):
    """The names of the extensions, those that belong to the browser itself included."""

    type: ClassVar[str] = "find_installed_extension_name"

    def get(self, desk: Desk) -> list[str]:
        """Close the browser and read."""
        place = find_browser(desk.guest)
        names = [_name(place, entry) for entry in extensions_in(place.preferences())]
        return [name for name in names if name]


def _name(place: BrowserPlace, entry: Mapping[str, Any]) -> str:
    """Return the name as the browser has noted it, else as the extension's own files tell it; empty for none."""
    noted = value_at(entry, ("manifest", "name"))
    path = str(entry.get("path", ""))
    if noted or not path:
        return str(noted or "")
    folder = path if path.startswith("/") else f"{place.folder}/Default/Extensions/{path}"
    manifest = _read(place, folder, "manifest.json")
    name = str(manifest.get("name", ""))
    if not name.startswith("__MSG_"):
        return name
    messages = _read(place, folder, f"_locales/{manifest.get('default_locale')}/messages.json")
    wanted = name.removeprefix("__MSG_").removesuffix("__").lower()
    return next((str(value_at(said, ("message",))) for key, said in messages.items() if key.lower() == wanted), "")


def _read(place: BrowserPlace, folder: str, name: str) -> dict[str, Any]:
    try:
        return read_json(place.guest, name, folder)
    except (ProfileDamaged, GuestFileMissing, GuestFileUnreadable):
        return {}  # an extension without these files has no name
