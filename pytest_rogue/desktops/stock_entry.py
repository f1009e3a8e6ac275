"""Starts our guest in a machine whose desktop is there already; its answer is one line of JSON.

The text of this file is sent into the machine, so it imports the standard library only and runs on Python 3.8. Its
argument is a file with the request (a line of JSON, then a zip of the guest), which it removes.
"""

from __future__ import annotations

import glob
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from typing import Any

OLDEST_PYTHON = (3, 10)
PYTHONS = ("/usr/bin/python3", "python3", "python")
NEEDS = {
    "Xlib": "import Xlib",
    "PIL": "import PIL.Image",
    "gi (with GTK 3)": "import gi; gi.require_version('Gtk', '3.0'); from gi.repository import Gtk",
}
"""What the guest imports: its name, and a line that proves it."""

PATIENCE = 30.0
"""Seconds until the guest listens."""


def main() -> None:
    """Start it, or say why not."""
    with open(sys.argv[1], "rb") as file:
        request = json.loads(file.readline())
        bundle = file.read()
    os.unlink(sys.argv[1])
    environment = session()
    missing = {python: lacking(python, environment) for python in PYTHONS}
    fit = [python for python in PYTHONS if not missing[python]]
    if not fit:
        return tell(problem=f"{PYTHONS[0]} there lacks: {', '.join(missing[PYTHONS[0]])}")
    folder = tempfile.mkdtemp(prefix="guest-")
    zipfile.ZipFile(io.BytesIO(bundle)).extractall(folder)
    return start(fit[0], dict(environment, PYTHONPATH=folder), request)


def session() -> dict[str, str]:
    """Return the environment of the desktop session: a server started by the system often has only a part of it."""
    environment = dict(os.environ)
    displays = sorted(glob.glob("/tmp/.X11-unix/X*"))  # noqa: S108 - where X servers have their sockets
    if displays:
        environment.setdefault("DISPLAY", ":" + os.path.basename(displays[0])[1:])
    runtime = environment.setdefault("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    if os.path.exists(f"{runtime}/bus"):
        environment.setdefault("DBUS_SESSION_BUS_ADDRESS", f"unix:path={runtime}/bus")
    for cookies in (os.path.expanduser("~/.Xauthority"), f"{runtime}/gdm/Xauthority"):
        if os.path.exists(cookies):
            environment.setdefault("XAUTHORITY", cookies)
    return environment


def lacking(python: str, environment: dict[str, str]) -> list[str]:
    """Return what an interpreter lacks of what the guest needs."""
    lines = [f"try:\n  {line}\nexcept Exception: print({name!r})" for name, line in NEEDS.items()]
    version = f"import sys\nif sys.version_info < {OLDEST_PYTHON}: print('Python 3.10 or later')"
    try:
        asked = [python, "-c", "\n".join([version, *lines])]
        done = subprocess.run(
            asked, env=environment, stdout=subprocess.PIPE, text=True, timeout=60, cwd="/", check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return [str(error)]
    return done.stdout.splitlines() or ([f"its exit code is {done.returncode}"] if done.returncode else [])


def start(python: str, environment: dict[str, str], request: dict[str, Any]) -> None:
    """Start the guest, let it go, and tell where it listens."""
    token, token_here = os.pipe()
    os.write(token_here, request["token"].encode())
    os.close(token_here)
    with tempfile.TemporaryFile() as said:
        guest = subprocess.Popen(
            [python, "-m", "guest", "--attach", *request["options"], "--token-fd", str(token)],
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            pass_fds=(token,),
            start_new_session=True,
        )
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and guest.poll() is None:
            text = os.pread(said.fileno(), 65536, 0).decode("utf-8", "replace")
            for line in text.splitlines(keepends=True):
                if line.startswith('{"listening"') and line.endswith("\n"):
                    return tell(port=json.loads(line)["listening"][1], pid=guest.pid, python=python)
            time.sleep(0.02)
        guest.kill()
        guest.wait()
        text = os.pread(said.fileno(), 65536, 0).decode("utf-8", "replace")
    return tell(problem=f"the guest did not start there: {text[-500:].strip() or 'it said nothing'}")


def tell(**answer: object) -> None:
    """Answer."""
    sys.stdout.write(json.dumps(answer) + "\n")


main()
