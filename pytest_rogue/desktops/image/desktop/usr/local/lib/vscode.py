"""The `code` command: VS Code's workbench, served by code-server, in a browser window without anything of a browser.

It knows what people and tasks give `code`: files, folders, workspaces, `--goto`, `--diff`, `--new-window`,
`--reuse-window`, and the commands for extensions. Like `code` it returns when the window is on its way.
"""

# ruff: noqa: INP001 - a program by itself, not part of a package

from __future__ import annotations

import argparse
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote, urlencode

NODE = "/opt/code/bin/node"
ENTRY = "/opt/code/server/out/node/entry.js"
PORT = 13337
"""On the loopback interface of the desktop, where nobody else takes it."""
ADDRESS = f"127.0.0.1:{PORT}"
SERVER_PATIENCE = 60.0
"""Seconds; the first start on a busy machine reads 100 MB from disk."""
WINDOW_PATIENCE = 60.0
"""Seconds that a window may take to come up before a file gets a window of its own; two to four are usual."""

HOME = Path.home()
USER_FOLDER = HOME / ".config" / "Code"
EXTENSIONS_FOLDER = HOME / ".vscode" / "extensions"
WINDOW_PROFILE = HOME / ".config" / "code-window"
SERVER = (
    *(NODE, ENTRY, "--config=/usr/local/lib/code-server.yaml"),
    *(f"--user-data-dir={USER_FOLDER}", f"--extensions-dir={EXTENSIONS_FOLDER}"),
)

EXTENSION_COMMANDS = ("--install-extension", "--uninstall-extension", "--list-extensions")


def main(arguments: list[str]) -> int:
    """Do what `code ARGUMENTS` does and return its exit code."""
    for folder in (USER_FOLDER, EXTENSIONS_FOLDER):  # the server expects them
        folder.mkdir(parents=True, exist_ok=True)
    if any(argument.partition("=")[0] in EXTENSION_COMMANDS for argument in arguments):
        kept = [argument for argument in arguments if not argument.startswith("--disable-")]
        return subprocess.call([*SERVER, *kept])
    chosen, unknown = _parser().parse_known_args(arguments)
    if chosen.version:
        return _print_version()
    for argument in unknown:
        sys.stderr.write(f"code: {argument} is not an option that is known here; it is ignored\n")
    paths = [_Place(path, goto=chosen.goto) for path in chosen.paths]
    _start_server()
    if chosen.diff:
        first, second = (_Place(path).uri() for path in chosen.diff)
        _open_window(payload=[["diffFilePrimary", first], ["diffFileSecondary", second]])
        return 0
    folders = [place for place in paths if place.is_folder() or place.is_workspace()]
    files = [place for place in paths if place not in folders]
    for place in folders:
        _open_window({"workspace" if place.is_workspace() else "folder": str(place.path)})
    if folders and not files:
        return 0
    if files and not chosen.new_window and not folders and _open_in_running_window(files, goto=chosen.goto):
        return 0
    payload = [["openFile", place.uri()] for place in files]
    _open_window(payload=[*payload, ["gotoLineMode", "true"]] if chosen.goto else payload)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="code", description="Open files and folders in VS Code.")
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("-g", "--goto", action="store_true", help="PATH:LINE[:COLUMN]")
    parser.add_argument("-d", "--diff", nargs=2, metavar="FILE")
    parser.add_argument("-n", "--new-window", action="store_true")
    parser.add_argument("-r", "--reuse-window", action="store_true")
    parser.add_argument("-v", "--version", action="store_true")
    for ignored in ("--disable-workspace-trust", "--disable-extensions", "--wait", "--no-sandbox"):
        parser.add_argument(ignored, action="store_true", help=argparse.SUPPRESS)
    return parser


def _print_version() -> int:
    product = json.loads(Path("/opt/code/server/lib/vscode/product.json").read_text(encoding="utf-8"))
    package = json.loads(Path("/opt/code/server/lib/vscode/package.json").read_text(encoding="utf-8"))
    sys.stdout.write(f"{package['version']}\n{product.get('commit', '')}\n{os.uname().machine}\n")
    return 0


class _Place:
    """A path on the command line; with `goto` it may end in a line and a column."""

    def __init__(self, text: str, *, goto: bool = False) -> None:
        path, suffix = text, ""
        while goto and (parts := path.rpartition(":"))[2].isdigit() and not Path(path).exists():
            path, suffix = parts[0], f":{parts[2]}{suffix}"
        self.path = Path(path).absolute()
        self._suffix = suffix

    def is_folder(self) -> bool:
        return self.path.is_dir()

    def is_workspace(self) -> bool:
        return self.path.suffix == ".code-workspace" and self.path.is_file()

    def uri(self) -> str:
        return f"vscode-remote://{ADDRESS}{quote(os.path.normpath(self.path))}{self._suffix}"


def _start_server() -> None:
    """Return when the server answers; it goes on when this program ends."""
    if _answers():
        return
    log = os.memfd_create("code-server")
    options = [
        *("--auth", "none", "--bind-addr", ADDRESS, "--app-name", "Visual Studio Code"),
        *("--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"),
        *("--disable-getting-started-override", "--disable-proxy"),
    ]
    server = subprocess.Popen(
        [*SERVER, *options],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
        cwd=HOME,
    )
    deadline = time.monotonic() + SERVER_PATIENCE
    while not _answers():
        if server.poll() is not None or time.monotonic() > deadline:
            said = os.pread(log, 2000, 0).decode(errors="replace").strip()
            sys.exit(f"code: the editor's server did not start: {said or 'it said nothing'}")
        time.sleep(0.05)


def _answers() -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except OSError:
        return False
    finally:
        connection.close()


def _open_window(what: dict[str, str] | None = None, *, payload: list[list[str]] | None = None) -> None:
    """Open a window on a folder or a workspace, or an empty one in which `payload` says what is to be opened."""
    query = dict(what or {"ew": "true"})
    if payload:
        query["payload"] = json.dumps(payload, separators=(",", ":"))
    command = [
        "/usr/bin/chromium",
        f"--user-data-dir={WINDOW_PROFILE}",
        "--class=Code",
        f"--app=http://{ADDRESS}/?{urlencode(query, quote_via=quote)}",
    ]
    quiet = subprocess.DEVNULL
    subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True, cwd=HOME)


def _open_in_running_window(files: list[_Place], *, goto: bool) -> bool:
    """Have a window that is open, or is just coming, show the files; False where there is none."""
    deadline = time.monotonic() + WINDOW_PATIENCE
    while (window := _window_for(files[0])) is None:
        if not _window_is_open() or time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    order = {
        "type": "open",
        "fileURIs": [place.uri() for place in files],
        "folderURIs": [],
        "forceReuseWindow": True,
        "gotoLineMode": goto,
    }
    try:
        _ask(Path(window), "POST", "/", json.dumps(order))
    except TimeoutError:
        sys.stderr.write("code: the window takes long to open what it was told to open\n")
    except (OSError, http.client.HTTPException):
        return False
    return True


def _window_for(place: _Place) -> str | None:
    """Return the socket of the window that is to show a file; a window has one when it has come up completely."""
    try:
        found = _ask(USER_FOLDER / "code-server-ipc.sock", "GET", f"/session?filePath={quote(str(place.path))}")
    except (OSError, http.client.HTTPException):
        return None
    path: str | None = json.loads(found).get("socketPath")
    return path


def _window_is_open() -> bool:
    """Tell by the lock of the windows' profile, a link to `host-pid`, whether the browser that shows them runs."""
    try:
        pid = (WINDOW_PROFILE / "SingletonLock").readlink().name.rpartition("-")[2]
    except OSError:
        return False
    return Path("/proc", pid).exists()


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=WINDOW_PATIENCE)
        self._path = str(path)

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _ask(path: Path, method: str, target: str, body: str | None = None) -> bytes:
    """Return what is answered at a socket.

    Raises:
        OSError: nobody answers.
        http.client.HTTPException: what is asked is refused, or the answer is none.
    """
    connection = _UnixConnection(path)
    try:
        connection.request(method, target, body, {"Content-Type": "application/json"} if body else {})
        answer = connection.getresponse()
        content = answer.read()
    finally:
        connection.close()
    if answer.status != http.HTTPStatus.OK:
        raise http.client.HTTPException(f"{method} {target} was answered with {answer.status}: {content[:200]!r}")
    return content


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
