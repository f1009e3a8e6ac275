"""The desktop of the image: a clean screen, every application, and what tasks expect to be there."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.desktops.docker_image import image_name, image_present
from pytest_rogue.desktops.packages import APT_PACKAGES
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.errors import GuestFileMissing
from pytest_rogue.interaction import Action
from tests.host_processes import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_rogue.desktops.docker import DockerDesktop, DockerProvider
    from pytest_rogue.desktops.guest_client import GuestClient

pytestmark = pytest.mark.docker

SPEC = DesktopSpec(width=1600, height=900, memory_mb=4096, timeout=90)
START_LIMIT = 120.0
PANEL = "Xfce4-panel"

APPLICATIONS = {
    "mousepad": ("Mousepad", "Mousepad"),
    "gedit": ("gedit", "Gedit"),
    "pcmanfm": ("user", "Pcmanfm"),
    "xfce4-terminal": ("Terminal", "Xfce4-terminal"),
    "gnome-terminal": ("user@", "Gnome-terminal"),
    "galculator": ("galculator", "Galculator"),
    "xfce4-settings-manager": ("Settings", "Xfce4-settings-manager"),
    "chromium": ("Chromium", "Chromium"),
    "google-chrome": ("Chromium", "Chromium"),
    "libreoffice --writer": ("Writer", "libreoffice-writer"),
    "libreoffice --calc": ("Calc", "libreoffice-calc"),
    "libreoffice --impress": ("Impress", "libreoffice-impress"),
    "gimp": ("GNU Image Manipulation Program", "Gimp"),
    "vlc": ("VLC media player", "vlc"),
    "thunderbird": ("Mozilla Thunderbird", "thunderbird-default"),
    "code": ("Visual Studio Code", "Code"),
}
"""Command -> part of the title, and class, of its one window."""

UPSTREAM_KEYS = (
    ("org.gnome.desktop.notifications", "show-banners"),
    ("org.gnome.desktop.screensaver", "lock-enabled"),
    ("org.gnome.settings-daemon.plugins.power", "idle-dim"),
)


@pytest.fixture(scope="module")
def image() -> str:
    if not image_present():
        pytest.skip("the image of this version is not there: pytest-rogue image build")
    return image_name()


@pytest.fixture
def start(make_provider: Callable[..., DockerProvider], image: str) -> Iterator[Callable[[], DockerDesktop]]:
    provider = make_provider(image=image)
    started: list[DockerDesktop] = []

    def start() -> DockerDesktop:
        started.append(provider.start(SPEC))
        return started[-1]

    yield start
    for desktop in started:
        desktop.stop()


@pytest.fixture
def guest(start: Callable[[], DockerDesktop]) -> GuestClient:
    return start().guest


def at_rest(guest: GuestClient, code: str | None = None) -> set[str]:
    """Wait until the screen is at rest, having run `code`; return the classes of the windows but the panel's."""
    guest.step(1, Action.python(code) if code else None, quiet=1.0, limit=15.0)
    return {window.window_class for window in guest.windows()} - {PANEL}


def output(guest: GuestClient, *command: str) -> str:
    done = guest.run(command, START_LIMIT)
    assert done.exit_code == 0, done
    return done.stdout.strip()


# --- a clean screen --------------------


def test_a_fresh_desktop_shows_the_panel_and_nothing_else(guest: GuestClient) -> None:
    assert at_rest(guest) == set()
    assert [window.window_class for window in guest.windows()] == [PANEL]


@pytest.mark.parametrize("command", APPLICATIONS)
def test_an_application_starts_with_its_window_and_no_other(guest: GuestClient, command: str) -> None:
    title, window_class = APPLICATIONS[command]
    guest.launch(command.split(), title, START_LIMIT)
    assert at_rest(guest) == {window_class}
    assert len(guest.windows()) == 2


def test_an_application_at_rest_leaves_the_screen_at_rest(guest: GuestClient) -> None:
    guest.launch(["mousepad"], "Mousepad", START_LIMIT)
    assert guest.step(1, Action.python("pyautogui.write('text')"), quiet=1.5, limit=10.0).settled


def test_the_panel_can_be_read_by_accessibility(guest: GuestClient) -> None:
    tree = guest.step(1, None, a11y=True).a11y
    assert tree is not None
    assert 'attr:window-type="dock"' in tree
    assert '<toggle-button name="Applications"' in tree


def test_a_click_on_the_background_offers_no_way_out_of_the_session(guest: GuestClient) -> None:
    menu = guest.read_file("/etc/xdg/openbox/menu.xml").decode()
    assert 'name="Exit"' not in menu
    assert "xfce4-terminal" in menu


def test_a_key_opens_the_terminal(guest: GuestClient) -> None:
    guest.step(1, Action.python("pyautogui.hotkey('ctrl', 'alt', 't')"))
    assert guest.launch(["true"], "Terminal", START_LIMIT).window_class == "Xfce4-terminal"


def test_a_notification_is_shown(guest: GuestClient) -> None:
    output(guest, "notify-send", "Backup", "It is done.")
    at_rest(guest)
    assert "It is done." in (guest.step(2, None, a11y=True).a11y or "")


def test_a_dialog_of_the_settings_brings_the_daemon_that_lets_it_take_effect(guest: GuestClient) -> None:
    assert guest.run(["pgrep", "-x", "xfsettingsd"]).exit_code == 1
    guest.launch(["xfce4-appearance-settings"], "Appearance", START_LIMIT)
    at_rest(guest)
    assert guest.run(["pgrep", "-x", "xfsettingsd"]).exit_code == 0


# --- what it is made of --------------------


def test_an_idle_desktop_takes_less_than_a_hundred_megabytes(start: Callable[[], DockerDesktop]) -> None:
    desktop = start()
    at_rest(desktop.guest)
    memory = desktop._engine.api.stats(desktop.container, stream=False, one_shot=True)["memory_stats"]
    reclaimable = memory["stats"].get("total_inactive_file", memory["stats"].get("inactive_file", 0))
    assert memory["usage"] - reclaimable < 100e6


def test_it_has_what_the_embedded_desktop_has(guest: GuestClient) -> None:
    said = output(guest, "dpkg-query", "--show", "--showformat=${Package}\n")
    assert set(APT_PACKAGES) - {"bubblewrap"} <= set(said.split())


@pytest.mark.parametrize(("schema", "key"), UPSTREAM_KEYS)
def test_a_setting_that_tasks_ask_for_answers_and_keeps_what_is_set(guest: GuestClient, schema: str, key: str) -> None:
    before = output(guest, "gsettings", "get", schema, key)
    other = "false" if before == "true" else "true"
    output(guest, "gsettings", "set", schema, key, other)
    assert output(guest, "gsettings", "get", schema, key) == other


def test_the_browser_can_be_driven_under_the_name_of_chrome(guest: GuestClient) -> None:
    guest.launch(["google-chrome", "--remote-debugging-port=1337", "about:blank"], "Chromium", START_LIMIT)
    said = output(
        guest, "curl", "--silent", "--retry", "20", "--retry-connrefused", "http://127.0.0.1:1337/json/version"
    )
    assert json.loads(said)["Browser"].startswith("Chrome/")


@pytest.mark.parametrize(
    ("name", "content", "window_class"),
    [("notes.txt", b"x\n", "Mousepad"), ("page.html", b"<h1>x</h1>", "Chromium"), ("table.csv", b"a,b\n", "Soffice")],
)
def test_a_file_is_opened_by_its_application(guest: GuestClient, name: str, content: bytes, window_class: str) -> None:
    path = f"/home/user/Documents/{name}"
    guest.write_file(path, content)
    title = "Text Import" if window_class == "Soffice" else name
    assert guest.launch(["xdg-open", path], title, START_LIMIT).window_class == window_class


# --- VS Code --------------------


def extension() -> bytes:
    """Return a VSIX that does nothing."""
    manifest = {"name": "quiet", "publisher": "somebody", "version": "1.0.0", "engines": {"vscode": "^1.50.0"}}
    package = (
        '<?xml version="1.0" encoding="utf-8"?>'
        '<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011"><Metadata>'
        '<Identity Language="en-US" Id="quiet" Version="1.0.0" Publisher="somebody"/>'
        "<DisplayName>quiet</DisplayName></Metadata>"
        '<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation><Dependencies/><Assets>'
        '<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>'
        "</Assets></PackageManifest>"
    )
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as writer:
        writer.writestr("extension.vsixmanifest", package)
        writer.writestr("extension/package.json", json.dumps(manifest))
    return archive.getvalue()


def test_an_extension_is_installed_from_a_file_and_listed(guest: GuestClient) -> None:
    assert output(guest, "code", "--list-extensions") == ""
    guest.write_file("/home/user/quiet.vsix", extension())
    output(guest, "code", "--install-extension", "/home/user/quiet.vsix")
    assert output(guest, "code", "--list-extensions") == "somebody.quiet"


def test_a_file_is_opened_in_the_window_that_is_there(guest: GuestClient) -> None:
    guest.write_file("/home/user/project/first.py", b"x = 1\n" * 20)
    guest.launch(["code", "/home/user/project"], "project - Visual Studio Code", START_LIMIT)
    guest.launch(["code", "--goto", "/home/user/project/first.py:7"], "first.py - project", START_LIMIT)
    assert [window.window_class for window in guest.windows()] == [PANEL, "Code"]
    assert wait_until(lambda: "Ln 7, Col 1" in (guest.step(2, None, a11y=True, a11y_seconds=10).a11y or ""))


def test_a_file_gets_a_window_where_there_is_none(guest: GuestClient) -> None:
    guest.write_file("/home/user/with a space.txt", b"text\n")
    guest.launch(["code", "/home/user/with a space.txt"], "with a space.txt - Visual Studio Code", START_LIMIT)


def test_a_workspace_is_opened(guest: GuestClient) -> None:
    guest.write_file("/home/user/project/a.txt", b"text\n")
    guest.write_file("/home/user/two.code-workspace", b'{"folders": [{"path": "project"}]}')
    guest.launch(["code", "/home/user/two.code-workspace"], "two (Workspace)", START_LIMIT)


def test_the_settings_of_the_user_begin_empty_and_stand_where_tasks_look(guest: GuestClient) -> None:
    guest.launch(["code", "/home/user/notes.txt"], "notes.txt - Visual Studio Code", START_LIMIT)
    at_rest(guest)
    assert output(guest, "find", "/home/user/.config/Code/User", "-name", "settings.json") == ""
    at_rest(guest, "pyautogui.hotkey('ctrl', 'shift', 'p')")
    at_rest(guest, "pyautogui.write('Toggle Auto Save')")
    at_rest(guest, "pyautogui.press('enter')")
    assert wait_until(lambda: user_settings(guest) == {"files.autoSave": "afterDelay"}), user_settings(guest)


def user_settings(guest: GuestClient) -> object:
    """Return the editor's settings, None while it has not written all of them."""
    try:
        return json.loads(guest.read_file("/home/user/.config/Code/User/settings.json"))
    except (GuestFileMissing, json.JSONDecodeError):
        return None
