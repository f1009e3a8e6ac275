"""Can embedded desktops run on this machine? Every answer comes with the line that mends it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from pytest_rogue.desktops.bundle import GUEST_PYTHON, guest_sources
from pytest_rogue.desktops.namespaces import namespace_fix, namespace_problem
from pytest_rogue.desktops.packages import APPLICATION_PACKAGES, install_line
from pytest_rogue.desktops.sandbox_layout import SEARCH_PATH
from pytest_rogue.errors import DesktopStartError
from pytest_rogue.readiness import Readiness

PROGRAMS = {
    "bwrap": "bubblewrap",
    "choom": "util-linux",
    "prlimit": "util-linux",
    "python3": "python3",
    "Xvfb": "xvfb",
    "openbox": "openbox",
    "dbus-daemon": "dbus",
}
"""Programs a desktop starts with, and the Debian package of each."""

LIBEXEC_PROGRAMS = {"at-spi-bus-launcher": "at-spi2-core", "at-spi2-registryd": "at-spi2-core"}
"""Programs that are started over D-Bus and stand outside the `PATH`."""

BINDINGS = {
    "gi": "python3-gi",
    "Gtk 3.0": "gir1.2-gtk-3.0",
    "Atspi 2.0": "gir1.2-atspi-2.0",
    "Xlib": "python3-xlib",
    "PIL": "python3-pil",
}
"""What the guest's Python must be able to import; with a version, a GObject library."""

OLDEST_BUBBLEWRAP = (0, 8)
"""As in Debian 12; much older ones cannot bound the size of a file system in memory."""

_LIBEXEC = ("/usr/libexec", "/usr/libexec/at-spi2-core", "/usr/lib/at-spi2-core")

_IMPORTS = """
import importlib, sys
for name in sys.argv[1:]:
    library, _, version = name.partition(" ")
    try:
        if version:
            import gi
            gi.require_version(library, version)
        else:
            importlib.import_module(library)
    except Exception as error:
        print(f"{name}\\t{error}")
"""


def local_readiness() -> list[Readiness]:
    """Return what an embedded desktop needs, each tested by doing.

    The `fix` of whatever is missing is the same: one line for all missing packages. What needs bubblewrap to be tested
    is left out until bubblewrap is there.
    """
    problems = _missing_programs() | _missing_bindings()
    fix = install_line(tuple(dict.fromkeys(problems.values()))) if problems else ""
    found = {name: _place_of(name) for name in (*PROGRAMS, *LIBEXEC_PROGRAMS)}
    results = [
        Readiness(name, name not in problems, found.get(name) or "", fix if name in problems else "")
        for name in (*PROGRAMS, *LIBEXEC_PROGRAMS, *(f"{GUEST_PYTHON}: {binding}" for binding in BINDINGS))
    ]
    results.append(_pyautogui())
    return results if "bwrap" in problems else [*results, _bubblewrap_version(), _user_namespaces()]


def local_applications() -> list[Readiness]:
    """Return the applications of the packaged tasks. Embedded desktops run without; tasks that need one are skipped."""
    places = {name: shutil.which(name, path=SEARCH_PATH) for name in APPLICATION_PACKAGES}
    missing = tuple(name for name, place in places.items() if place is None)
    fix = install_line(missing) if missing else ""
    return [Readiness(name, place is not None, place or "", "" if place else fix) for name, place in places.items()]


def check_programs() -> None:
    """Find out quickly whether the programs are there.

    Raises:
        DesktopStartError: some are not; the message says how to install them.
    """
    if missing := _missing_programs():
        line = install_line(tuple(dict.fromkeys(missing.values())))
        raise DesktopStartError(f"an embedded desktop needs {', '.join(missing)}: {line}")


def _place_of(name: str) -> str | None:
    if name in LIBEXEC_PROGRAMS:
        places = (Path(folder) / name for folder in _LIBEXEC)
        return next((str(place) for place in places if place.is_file()), None)
    return shutil.which(name, path=SEARCH_PATH)


def _missing_programs() -> dict[str, str]:
    packages = PROGRAMS | LIBEXEC_PROGRAMS
    return {name: package for name, package in packages.items() if _place_of(name) is None}


def _missing_bindings() -> dict[str, str]:
    try:
        done = subprocess.run(
            [GUEST_PYTHON, "-c", _IMPORTS, *BINDINGS], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.SubprocessError):
        return {f"{GUEST_PYTHON}: {name}": package for name, package in BINDINGS.items()}
    failed = [line.split("\t")[0] for line in done.stdout.splitlines()]
    return {f"{GUEST_PYTHON}: {name}": BINDINGS[name] for name in failed}


def _bubblewrap_version() -> Readiness:
    name = f"bubblewrap {'.'.join(map(str, OLDEST_BUBBLEWRAP))} or later"
    said = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False, timeout=20).stdout
    version = tuple(int(number) for number in re.findall(r"\d+", said))
    ready = version >= OLDEST_BUBBLEWRAP
    return Readiness(name, ready, said.strip(), "" if ready else install_line(("bubblewrap",)))


def _pyautogui() -> Readiness:
    try:
        place = str(guest_sources()["pyautogui"])
    except DesktopStartError as error:
        return Readiness("pyautogui", ready=False, found=str(error), fix="pip install pyautogui")
    return Readiness("pyautogui", ready=True, found=place)


def _user_namespaces() -> Readiness:
    problem = namespace_problem()
    return Readiness("user namespaces", not problem, problem or "a sandbox was started", problem and namespace_fix())
