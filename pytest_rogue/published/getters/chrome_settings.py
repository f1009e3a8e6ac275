"""What is set up in the browser, as it has written it when it was closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pytest_rogue.evaluators.browser_settings import value_at
from pytest_rogue.published.browser_place import find_browser
from pytest_rogue.published.protocol import Getter

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Desk

_KEPT_UNTIL_EXIT = 4
"""How Chromium numbers the choice to delete what sites have saved when the last window is closed."""


class EnableDoNotTrack(Getter):
    """Whether sites are asked not to track: `true` or `false`."""

    type: ClassVar[str] = "enable_do_not_track"

    def get(self, desk: Desk) -> str:
        """Close the browser and read."""
        return _told(bool(_preference(desk, "enable_do_not_track")))


class ProfileName(Getter):
    """Name of the profile; empty where it has none."""

    type: ClassVar[str] = "profile_name"

    def get(self, desk: Desk) -> str:
        """Close the browser and read."""
        return str(_preference(desk, "profile", "name") or "")


class DataDeleteAutomatically(Getter):
    """Whether what sites have saved is deleted when the browser is closed: `true` or `false`.

    The published getter says `true` as soon as any setting for sites was changed from its default.
    """

    type: ClassVar[str] = "data_delete_automacally"

    def get(self, desk: Desk) -> str:
        """Close the browser and read."""
        values = _preference(desk, "profile", "default_content_setting_values")
        if desk.convention == "upstream":
            return _told(values is not None)
        return _told(value_at(values, ("cookies",)) == _KEPT_UNTIL_EXIT)


class EnabledExperiments(Getter):
    """The experiments of `chrome://flags` that are not on their default, as `name@choice`."""

    type: ClassVar[str] = "enabled_experiments"

    def get(self, desk: Desk) -> list[str]:
        """Close the browser and read."""
        (state,) = find_browser(desk.guest).read_closed(("Local State",))
        experiments = value_at(state, ("browser", "enabled_labs_experiments"))
        return [str(name) for name in experiments] if isinstance(experiments, list) else []


def _preference(desk: Desk, *key: str) -> Any:
    values = (value_at(file, key) for file in find_browser(desk.guest).preferences())
    return next((value for value in values if value is not None), None)


def _told(right: bool) -> str:
    return "true" if right else "false"
