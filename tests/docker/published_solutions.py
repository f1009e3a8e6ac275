"""Code that does published tasks on our image, by the beginning of their ids; empty where nothing can be done."""

from __future__ import annotations

_WRITE = """
import json
from pathlib import Path

path = Path.home() / ".config/Code/User/{name}.json"
path.parent.mkdir(parents=True, exist_ok=True)
path.write_text(json.dumps({content!r}))
"""

_IN_PROFILE = """
import json, subprocess, time
from pathlib import Path

folder = Path.home() / ".config/chromium"
deadline = time.monotonic() + 60
while not (folder / {file!r}).exists() and time.monotonic() < deadline:
    time.sleep(0.1)
while time.monotonic() < deadline:
    if subprocess.run(["pkill", "-TERM", "-f", "lib/chromium/chromium"]).returncode:
        break
    time.sleep(0.1)  # until it has written what it has to write
path = folder / {file!r}
state = json.loads(path.read_text())
place = state
for key in {keys!r}[:-1]:
    place = place.setdefault(key, {{}})
place[{keys!r}[-1]] = {value!r}
path.write_text(json.dumps(state))
"""

_GSETTINGS = """
import subprocess

for words in {settings!r}:
    subprocess.run(["gsettings", "set", *words], check=True)
"""


def _settings(**content: object) -> str:
    return _WRITE.format(name="settings", content={key.replace("__", "."): value for key, value in content.items()})


def _key(key: str, command: str, when: str) -> str:
    return _WRITE.format(name="keybindings", content=[{"key": key, "command": command, "when": when}])


def _preference(*keys: str, value: object, file: str = "Default/Preferences") -> str:
    return _IN_PROFILE.format(file=file, keys=keys, value=value)


def _gsettings(*settings: tuple[str, str, str]) -> str:
    return _GSETTINGS.format(settings=settings)


SOLUTIONS = {
    # settings of the browser
    "030eeff7": _preference("enable_do_not_track", value=True),
    "2ae9ba84": _preference("profile", "name", value="Thomas"),
    "99146c54": _preference("profile", "default_content_setting_values", "cookies", value=4),
    # settings of VS Code
    "276cc624": _settings(editor__wordWrapColumn=50),
    "9439a27b": _settings(debug__focusEditorOnBreak=False),
    "9d425400": _settings(workbench__editor__wrapTabs=True),
    "e2b5e914": _settings(python__analysis__diagnosticSeverityOverrides={"reportMissingImports": "none"}),
    "930fdb3b": _key("ctrl+j", "workbench.action.focusActiveEditorGroup", "terminalFocus"),
    "ea98c5d7": _key("ctrl+f", "-list.find", "listFocus && listSupportsFind"),
    "57242fad": "open('/home/user/Desktop/test.py', 'w').close()",
    # settings of the system
    "a4d98375": _gsettings(("org.gnome.desktop.screensaver", "lock-enabled", "true")),
    "bedcedc4": _gsettings(
        ("org.gnome.desktop.session", "idle-delay", "0"),
        ("org.gnome.settings-daemon.plugins.power", "idle-dim", "false"),
    ),
    "f9be0997": _gsettings(("org.gnome.desktop.notifications", "show-banners", "false")),
    # what cannot be done
    "3720f614": "",
    "7c4cc09e": "",
    "971cbb5b": "",
    "a462a795": "",
    "dcbe20e8": "",
}
