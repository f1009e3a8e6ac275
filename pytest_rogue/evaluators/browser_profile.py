"""Chromium's profile as the browser leaves it: what runs is closed in order before anything of it is read.

Chromium writes a preference seconds after it was changed, and keeps its databases locked while it runs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import GuestFault
from pytest_rogue.evaluators.reading import NotTextError, read_text

if TYPE_CHECKING:
    from pytest_rogue.evaluators.protocol import GuestReader

FOLDER = "~/.config/chromium"
"""The user's data, where a desktop of ours has it; a profile is a folder in it."""

_SECONDS_TO_CLOSE = 20.0

_SECONDS_FOR_WINDOWS = 15.0

# A browser whose last window is closed writes everything. SIGTERM, by which a session that ends closes it, leaves what
# was visited in the last seconds in an unfinished transaction; it is for a browser that shows no window, or in which a
# page asks whether it may be closed. The lock names the process; it is left behind by a browser that was killed.
_CLOSE = f"""
import os, select, signal, sys
folder, keep_tabs = sys.argv[1:]

def windows(process):
    tree = display.Display()
    root = tree.screen().root
    of_process, listed = (tree.intern_atom(name) for name in ("_NET_WM_PID", "_NET_CLIENT_LIST"))
    found = root.get_property(listed, X.AnyPropertyType, 0, 1024)  # at once, for it may get shorter
    for window in map(lambda id: tree.create_resource_object("window", id), found.value if found else ()):
        owner = window.get_property(of_process, X.AnyPropertyType, 0, 1)
        if owner and owner.value[0] == process:
            yield tree, root, window

def close(tree, root, window):
    asked = event.ClientMessage(window=window, client_type=tree.intern_atom("_NET_CLOSE_WINDOW"), data=(32, [0] * 5))
    root.send_event(asked, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
    tree.sync()

try:
    process = int(os.readlink(os.path.expanduser(folder + "/SingletonLock")).rpartition("-")[2])
    browser = os.pidfd_open(process)
    if "chrom" not in os.path.basename(os.readlink(f"/proc/{{process}}/exe")):
        sys.exit()
except (OSError, ValueError):
    sys.exit()
if not keep_tabs:
    try:
        from Xlib import X, display, error
        from Xlib.protocol import event
        shown = list(windows(process))
        for window in shown:
            close(*window)
        if shown and select.select([browser], [], [], {_SECONDS_FOR_WINDOWS})[0]:
            sys.exit()
    except ImportError:
        pass
    except (error.XError, error.DisplayError):
        pass
try:
    signal.pidfd_send_signal(browser, signal.SIGTERM)
except OSError:
    sys.exit()
if not select.select([browser], [], [], {_SECONDS_TO_CLOSE})[0]:
    sys.exit("the browser has not closed after {_SECONDS_TO_CLOSE:g} s")
"""


class ProfileDamaged(Exception):
    """A file of the profile cannot be read as what it should be, a finding like any other."""


def close_browser(reader: GuestReader, folder: str = FOLDER, *, keep_tabs: bool = False) -> None:
    """Close the browser that uses a folder, if it runs, as a person closes its windows.

    Args:
        reader: of the desktop.
        folder: of the user's data.
        keep_tabs: True to close it as the end of the session would: it remembers the tabs of all its windows, and may
            forget what was visited in the last seconds.

    Raises:
        GuestFault: it did not close.
    """
    command = ["python3", "-c", _CLOSE, folder, "tabs" if keep_tabs else ""]
    result = reader.run(command, timeout=_SECONDS_FOR_WINDOWS + _SECONDS_TO_CLOSE + 10.0)
    if result.timed_out or result.exit_code != 0:
        said = result.stderr.strip() or "the command ran into its time limit"
        raise GuestFault(f"the browser could not be closed, so its profile cannot be read: {said}")


def read_json(reader: GuestReader, name: str, folder: str = FOLDER) -> dict[str, Any]:
    """Return a JSON object of the profile; call `close_browser` before.

    Args:
        reader: of the desktop.
        name: below the user's data, `Default/Preferences` for instance.
        folder: of the user's data.

    Raises:
        ProfileDamaged: it is no JSON object.
        GuestFileMissing: there is no such file.
    """
    try:
        value = json.loads(read_text(reader, f"{folder}/{name}"))
    except (NotTextError, ValueError, RecursionError) as error:
        raise ProfileDamaged(f"{name} is no readable JSON file: {error}") from error
    if not isinstance(value, dict):
        raise ProfileDamaged(f"{name} holds no JSON object")
    return value
