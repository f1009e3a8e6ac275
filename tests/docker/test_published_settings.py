"""What the published tasks read of a browser's settings, after the real browser has written them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_rogue.errors import GuestFault, GuestFileMissing, GuestFileUnreadable
from pytest_rogue.published.getters import chrome_appearance
from tests.docker.published_browser import BrowserDesk, browser_guest, desk

__all__ = ["browser_guest", "desk"]

pytestmark = pytest.mark.docker

PREFERENCES = "~/.config/chromium/Default/Preferences"

CHOOSE_DARK = """
async () => {
  const within = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.id === "colorSchemeModeSelect") return element;
      const found = element.shadowRoot && within(element.shadowRoot);
      if (found) return found;
    }
  };
  let list = null;
  while (!list?.querySelector("option[selected]")) {
    await new Promise((wait) => setTimeout(wait, 50));
    list = within(document);
  }
  list.value = "2";
  list.dispatchEvent(new Event("change", {bubbles: true}));
}
"""


def test_settings_that_were_just_changed_in_the_browser_are_read(desk: BrowserDesk) -> None:
    tools = desk.browse()
    desk.settings(tools, "chrome://settings/", "() => chrome.settingsPrivate.setPref('enable_do_not_track', true)")
    desk.settings(tools, "chrome://settings/manageProfile", "() => chrome.send('setProfileName', ['Workshop'])")
    change = "chrome.send('setDefaultValueForContentType', ['cookies', 'session_only'])"
    desk.settings(tools, "chrome://settings/content/siteData", f"() => {change}")
    change = "chrome.send('enableExperimentalFeature', ['smooth-scrolling@2', 'true'])"
    desk.settings(tools, "chrome://flags/", f"() => {change}")
    assert desk.get("enable_do_not_track") == "true"
    assert desk.get("profile_name") == "Workshop"
    assert desk.get("data_delete_automacally") == "true"
    assert desk.get("enabled_experiments") == ["smooth-scrolling@2"]


def test_a_browser_in_which_nothing_was_changed_reads_so(desk: BrowserDesk) -> None:
    desk.browse()
    assert desk.get("enable_do_not_track") == "false"
    assert desk.get("profile_name") not in {"", "Workshop"}
    assert desk.get("data_delete_automacally") == "false"
    assert desk.get("enabled_experiments") == []
    assert desk.get("find_unpacked_extension_path") == []


def preferences(desk: BrowserDesk, value: Any) -> None:
    desk.guest.write_file(PREFERENCES, json.dumps(value).encode())


def test_another_setting_for_sites_deletes_nothing_but_counted_as_that_when_it_was_published(desk: BrowserDesk) -> None:
    preferences(desk, {"profile": {"default_content_setting_values": {"popups": 1}}})
    assert desk.get("data_delete_automacally") == "false"
    assert desk.get("data_delete_automacally", convention="upstream") == "true"


def test_settings_that_are_not_there_or_damaged_are_findings(desk: BrowserDesk) -> None:
    with pytest.raises(GuestFileMissing, match="Preferences"):
        desk.get("enable_do_not_track")
    desk.guest.write_file(PREFERENCES, b"{")
    with pytest.raises(GuestFileUnreadable, match="no readable JSON"):
        desk.get("enable_do_not_track")


def test_the_folder_is_that_of_the_browser_that_was_used(desk: BrowserDesk) -> None:
    desk.guest.run(["sh", "-c", "rm ~/.config/google-chrome; mkdir -p ~/.config/google-chrome"])
    desk.guest.write_file("~/.config/google-chrome/Local State", b'{"browser": {"enabled_labs_experiments": ["a@1"]}}')
    assert desk.get("enabled_experiments") == ["a@1"]


# --- extensions


def put_extension(desk: BrowserDesk, folder: str, manifest: dict[str, Any]) -> None:
    base = {"manifest_version": 3, "version": "1"}
    desk.guest.write_file(f"{folder}/manifest.json", json.dumps(base | manifest).encode())


def test_an_extension_that_was_loaded_unpacked_is_found_by_folder_and_by_name(desk: BrowserDesk) -> None:
    put_extension(desk, "/home/user/Desktop/ruler", {"name": "__MSG_title__", "default_locale": "en"})
    messages = b'{"Title": {"message": "A small ruler"}}'
    desk.guest.write_file("/home/user/Desktop/ruler/_locales/en/messages.json", messages)
    put_extension(desk, "/home/user/Desktop/lamp", {"name": "A lamp"})
    tools = desk.browse()
    for folder in ("ruler", "lamp"):
        tools.call("browser", "Extensions.loadUnpacked", path=f"/home/user/Desktop/{folder}")
    assert sorted(desk.get("find_unpacked_extension_path")) == ["/home/user/Desktop/lamp", "/home/user/Desktop/ruler"]
    assert {"A lamp", "A small ruler"} <= set(desk.get("find_installed_extension_name"))


def test_an_extension_from_the_store_is_named_and_has_no_folder_of_its_own(desk: BrowserDesk) -> None:
    noted = {"location": 1, "path": "abcd/1.0_0", "manifest": {"name": "A clock"}}
    kept = {"location": 1, "path": "efgh/2.0_0"}
    preferences(desk, {"extensions": {"settings": {"abcd": noted, "efgh": kept, "gone": {"state": 2}}}})
    put_extension(desk, "~/.config/chromium/Default/Extensions/efgh/2.0_0", {"name": "A compass"})
    assert desk.get("find_installed_extension_name") == ["A clock", "A compass"]
    assert desk.get("find_unpacked_extension_path") == []


# --- light or dark


def test_light_or_dark_is_what_the_settings_page_shows(desk: BrowserDesk) -> None:
    tools = desk.browse()
    assert desk.get("chrome_appearance_mode_ui") == "system"
    desk.settings(tools, "chrome://settings/appearance", CHOOSE_DARK)
    assert desk.get("chrome_appearance_mode_ui") == "dark"
    pages = [page["url"] for page in desk.get("open_tabs_info")]
    assert pages[0] == "chrome://settings/appearance", "the page that was in front still is"
    assert len(pages) == 2, "the tab in which was looked is closed again"


def test_what_cannot_be_told_is_no_answer_but_was_called_system_when_it_was_published(desk: BrowserDesk) -> None:
    with pytest.raises(GuestFileMissing, match="it was closed"):
        desk.get("chrome_appearance_mode_ui")
    assert desk.get("chrome_appearance_mode_ui", convention="upstream") == "system"


def test_a_settings_page_that_tells_nothing_is_a_fault(desk: BrowserDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.browse()
    monkeypatch.setattr(chrome_appearance, "_READ", "() => null")
    monkeypatch.setattr(chrome_appearance, "_PATIENCE", 5.0)
    with pytest.raises(GuestFault, match="does not tell"):
        desk.get("chrome_appearance_mode_ui")
