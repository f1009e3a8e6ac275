"""Does in a machine what its stock server cannot do, or cannot be trusted with; its answer is one line of JSON.

The text of this file is sent into the machine, so it imports the standard library only and runs on Python 3.8. Its
argument is a file with the request, which it removes.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_ENTRIES = 10_000
MOST_OUTPUT = 1 << 20

ACTION = """
import json, sys, time
import pyautogui
lost = open(sys.argv[2], "w")
platform = pyautogui.platformModule
press = platform._keyDown
def press_or_tell(key):
    if not platform.keyboardMapping.get(key):
        print(json.dumps(key), file=lost, flush=True)
    press(key)
platform._keyDown = press_or_tell
pyautogui.PAUSE = 0
pyautogui.FAILSAFE = False
source = open(sys.argv[1], encoding="utf-8", errors="surrogatepass").read()
exec(compile(source, "<action>", "exec"), {"__name__": "__main__", "pyautogui": pyautogui, "time": time})
"""
"""Runs pyautogui code. Characters and key names that pyautogui drops without a word are written to a file."""


def main() -> None:
    """Answer one request."""
    with open(sys.argv[1], "rb") as file:
        request = json.loads(file.readline())
    os.unlink(sys.argv[1])
    do: dict[str, Callable[..., dict[str, Any]]] = {
        "who": who,
        "act": act,
        "run": run,
        "list": listing,
        "stat": status,
        "look": look,
        "place": place,
        "windows": windows,
    }
    try:
        answer = do[request.pop("do")](**request)
    except (FileNotFoundError, NotADirectoryError) as error:
        answer = {"problem": "missing", "message": str(error)}
    except OSError as error:
        answer = {"problem": "unreadable", "message": str(error)}
    sys.stdout.write(json.dumps(answer) + "\n")


def who() -> dict[str, Any]:
    """Say who we are, and what keeps pyautogui from working here."""
    import getpass
    import platform

    tried = run([_python(), "-c", "import pyautogui"], 60, "")
    problem = tried["stderr"].strip().rpartition("\n")[2] if tried["exit_code"] != 0 else ""
    return {"user": getpass.getuser(), "python": platform.python_version(), "problem": problem}


# --- actions and commands --------------------


def act(code: str, timeout: float) -> dict[str, Any]:
    """Run pyautogui code in a process of its own, and tell which keys it asked for in vain."""
    with tempfile.TemporaryDirectory() as folder:
        source, lost = os.path.join(folder, "source"), os.path.join(folder, "lost")
        with open(source, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(code)
        done = run([_python(), "-c", ACTION, source, lost], timeout, "")
        keys = []
        if os.path.exists(lost):
            with open(lost) as file:
                keys = [json.loads(line) for line in file if line.endswith("\n")]
    if keys:
        shown = ", ".join(repr(key) for key in dict.fromkeys(keys))
        done["note"] = f"These were not typed, because this desktop has no key for them: {shown}."
    return done


def _python() -> str:
    """Return the interpreter that actions are written for: `python`, unless the machine has none of that name."""
    found = any(os.access(os.path.join(folder, "python"), os.X_OK) for folder in os.get_exec_path())
    return "python" if found else "python3"


def run(command: list[str], timeout: float, input: str) -> dict[str, Any]:  # noqa: A002 - the name in the request
    """Run a command to its end or its time limit; programs it leaves in the background keep nothing waiting."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as given:
        given.write(input.encode("utf-8", "replace"))
        given.seek(0)
        home = os.path.expanduser("~")
        try:
            process = subprocess.Popen(command, stdin=given, stdout=out, stderr=err, start_new_session=True, cwd=home)
        except OSError as error:
            return {"stdout": "", "stderr": str(error), "exit_code": 127, "timed_out": False, "seconds": 0.0}
        try:
            code, timed_out = process.wait(timeout), False
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            code, timed_out = None, True
        return {
            "stdout": _written(out),
            "stderr": _written(err),
            "exit_code": code,
            "timed_out": timed_out,
            "seconds": time.monotonic() - started,
        }


def _written(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(MOST_OUTPUT).decode("utf-8", "replace")


# --- files --------------------


def status(path: str) -> dict[str, Any]:
    """Return what is at a path; a link is not followed."""
    return _entry(os.path.expanduser(path))


def _entry(path: str | bytes) -> dict[str, Any]:
    facts = os.lstat(path)
    kind = {stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}.get(stat.S_IFMT(facts.st_mode), "file")
    return {"type": kind, "size": facts.st_size, "mode": stat.S_IMODE(facts.st_mode)}


def look(path: str) -> dict[str, Any]:
    """Return the size of a file that can be read."""
    with open(os.path.expanduser(path), "rb") as file:
        return {"size": os.fstat(file.fileno()).st_size}


def listing(path: str) -> dict[str, Any]:
    """Return what is in a folder and below it."""
    root = os.fsencode(os.path.expanduser(path))
    os.scandir(root).close()
    unreadable: list[str] = []
    entries: list[dict[str, Any]] = []
    for folder, folders, files in os.walk(root, onerror=lambda error: unreadable.append(_shown(error.filename, root))):
        folders.sort()
        for name in sorted(folders + files):
            if len(entries) == MOST_ENTRIES:
                return {"entries": entries, "cut": True, "unreadable": unreadable}
            here = os.path.join(folder, name)
            entries.append(dict(_entry(here), path=_shown(here, root)))
    entries.sort(key=lambda entry: entry["path"])
    return {"entries": entries, "cut": False, "unreadable": unreadable}


def _shown(path: str | bytes, root: bytes) -> str:
    return os.path.relpath(os.fsencode(path), root).decode("utf-8", "backslashreplace")


def place(path: str, source: str, mode: int) -> dict[str, Any]:
    """Move a file that was uploaded to where it belongs; without a source, make a folder."""
    path = os.path.expanduser(path)
    if not source:
        os.makedirs(path, exist_ok=True)
        return {}
    source = os.path.expanduser(source)
    os.chmod(source, mode)
    os.replace(source, path)
    return {"size": os.lstat(path).st_size}


# --- windows --------------------


def windows() -> dict[str, Any]:
    """Return the windows as the window manager lists them."""
    listed = run(["wmctrl", "-l", "-x", "-G"], 10, "")
    active = run(["xdotool", "getactivewindow"], 10, "")
    if active["exit_code"] == 127:
        active = run(["xprop", "-root", "-notype", "32x", " $0", "_NET_ACTIVE_WINDOW"], 10, "")
    if listed["exit_code"] != 0 or active["exit_code"] == 127:
        return {"problem": "tools", "message": "the machine needs wmctrl, and one of xdotool and xprop"}
    words = active["stdout"].split()
    front = int(words[-1], 0) if words and words[-1][:1].isdigit() else 0
    return {"windows": [_window(line, front) for line in listed["stdout"].splitlines()]}


def _window(line: str, front: int) -> dict[str, Any]:
    number, _, x, y, width, height, kind, *rest = line.split(None, 8)
    title = rest[1] if len(rest) > 1 else ""
    return {
        "id": int(number, 0),
        "title": title,
        "class": kind.rpartition(".")[2],
        "x": int(x),
        "y": int(y),
        "width": int(width),
        "height": int(height),
        "active": int(number, 0) == front,
    }


main()
