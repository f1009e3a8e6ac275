"""OSWorld's own paths: the forms and answers of its stock server, with a time limit for every command.

Forms: `desktop_env/server/main.py` of OSWorld. A path that its server has and that is not here answers 404.
"""

from __future__ import annotations

import platform
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from . import accessibility, files
from .commands import CommandResult, run_command, spawn
from .faults import BadRequest, GuestError, NotFound
from .forms import read_form
from .request import Request, Response, as_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from .desktop import Desktop
    from .server import Routes
    from .windows import Window

COMMAND_LIMIT = 120.0
PYTHON_LIMIT = 30.0
SCRIPT_LIMIT = 100.0
OPEN_LIMIT = 30.0
_OPENER = str(Path(__file__).with_name("open_file.py"))
TREE_NODES, TREE_SECONDS = 20_000, 20.0


class OsworldRoutes:
    """Answers for one desktop."""

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop

    def table(self) -> Routes:
        """Return the routes."""
        return {
            ("GET", "/screenshot"): lambda _: Response(self._desktop.screen.png(), "image/png"),
            ("GET", "/accessibility"): lambda _: as_json({"AT": self._tree()}),
            ("GET", "/terminal"): self.terminal,
            ("GET", "/platform"): lambda _: _text(platform.system()),
            ("GET", "/cursor_position"): lambda _: as_json(self._desktop.screen.pointer()),
            ("POST", "/screen_size"): self.screen_size,
            ("POST", "/execute"): self.execute,
            ("POST", "/setup/execute"): self.execute,
            ("POST", "/run_python"): self.run_python,
            ("POST", "/run_bash_script"): self.run_bash_script,
            ("POST", "/setup/launch"): self.launch,
            ("POST", "/setup/open_file"): self.open_file,
            ("POST", "/setup/activate_window"): self.activate_window,
            ("POST", "/setup/close_window"): self.close_window,
            ("POST", "/setup/upload"): self.upload,
            ("POST", "/file"): self.file,
            ("POST", "/list_directory"): self.list_directory,
            ("POST", "/desktop_path"): self.desktop_path,
        }

    # --- what is on the screen --------------------

    def _tree(self) -> str:
        found = accessibility.tree(TREE_NODES, TREE_SECONDS)
        if not found.xml:
            raise GuestError("a11y_lost", f"the accessibility tree cannot be had: {found.problem}")
        return found.xml

    def terminal(self, _: Request) -> Response:
        """Return the text of the terminal on the screen, null where there is none."""
        tree = ET.fromstring(self._tree())  # noqa: S314  # written by ourselves
        texts = [(node.text or "").rstrip() for node in tree.iter("terminal")]
        return as_json({"output": texts[-1] if texts else None, "status": "success"})

    def screen_size(self, _: Request) -> Response:
        """Return the size of the screen."""
        width, height = self._desktop.screen.size()
        return as_json({"width": width, "height": height})

    # --- commands --------------------

    def execute(self, request: Request) -> Response:
        """Run a command: a list, or a text that is split as a shell would, or with `shell` given to one.

        A command that was killed is answered like one that ended: the answer 500 would have it sent again.
        """
        command = _command(request)
        code = _pyautogui_code(command)
        try:
            done = (
                self._desktop.actions.run(code, COMMAND_LIMIT) if code else run_command(command, timeout=COMMAND_LIMIT)
            )
        except GuestError as error:
            return as_json({"status": "error", "message": str(error)}, error.status)
        return as_json(
            {
                "status": "error" if done.timed_out else "success",
                "output": done.stdout,
                "error": done.stderr + _time_limit_note(done, COMMAND_LIMIT),
                "returncode": _code(done),
            }
        )

    def run_python(self, request: Request) -> Response:
        """Run Python source in a fresh interpreter."""
        done = run_command([sys.executable, "-"], timeout=PYTHON_LIMIT, stdin=request.field("code", str))
        message = _time_limit_note(done, PYTHON_LIMIT)
        return as_json(
            {
                "status": _status(done),
                "message": message or done.stdout,
                "need_more": False,
                "output": done.stdout,
                "error": done.stderr,
                "return_code": _code(done),
            }
        )

    def run_bash_script(self, request: Request) -> Response:
        """Run a script in bash; what it writes to stderr stands in the output, where it was written."""
        limit = request.seconds("timeout", SCRIPT_LIMIT)
        folder = request.field("working_dir", str, "") or None
        cwd = str(files.resolve(folder)) if folder else None
        done = run_command(
            ["/bin/bash", "-s"], timeout=limit, stdin=request.field("script", str), cwd=cwd, merge_stderr=True
        )
        note = _time_limit_note(done, limit)
        return as_json({"status": _status(done), "output": done.stdout, "error": note, "returncode": _code(done)})

    def launch(self, request: Request) -> Response:
        """Start a program and leave it alone."""
        command = _command(request)
        spawn(command)
        return _text(f"{shlex.join(command)} launched successfully")

    # --- windows --------------------

    def open_file(self, request: Request) -> Response:
        """Open a file or folder in its application and wait until a window shows its name."""
        path = files.resolve(request.field("path", str))
        if not path.exists():
            raise NotFound(f"there is no file {path}")
        done = run_command([sys.executable, "-I", _OPENER, str(path)], timeout=OPEN_LIMIT)
        if done.exit_code != 0:
            raise GuestError("launch_failed", f"{path} cannot be opened: {done.stderr.strip()}")
        self._desktop.windows.wait_titled(path.stem, OPEN_LIMIT)
        return _text("File opened successfully")

    def activate_window(self, request: Request) -> Response:
        """Bring a window to the front."""
        self._desktop.windows.activate(self._window(request))
        return _text("Window activated successfully")

    def close_window(self, request: Request) -> Response:
        """Ask a window to close."""
        self._desktop.windows.close(self._window(request))
        return _text("Window closed successfully")

    def _window(self, request: Request) -> Window:
        name = request.field("window_name", str)
        matches = _matcher(
            name, strict=request.field("strict", bool, False), by_class=request.field("by_class", bool, False)
        )
        window = self._desktop.windows.find(matches)
        if window is None:
            raise NotFound(f"there is no window {name!r}")
        return window

    # --- files --------------------

    def upload(self, request: Request) -> Response:
        """Write a file from a form."""
        form = read_form(request)
        path, data = _form_text(form, "file_path"), form.get("file_data")
        if data is None:
            raise BadRequest("'file_data' is missing")
        files.write(path, data)
        return _text(f"File Uploaded: {len(data)} bytes")

    def file(self, request: Request) -> Response:
        """Return the bytes of a file."""
        return Response(files.read(_form_text(read_form(request), "file_path")), "application/octet-stream")

    def list_directory(self, request: Request) -> Response:
        """Return a folder as a tree."""
        path = request.field("path", str)
        return as_json({"directory_tree": _folder_tree(path)})

    def desktop_path(self, _: Request) -> Response:
        """Return the folder of the desktop."""
        path = Path.home() / "Desktop"
        if not path.is_dir():
            raise NotFound(f"there is no folder {path}")
        return as_json({"desktop_path": str(path)})


def _text(text: str) -> Response:
    return Response(text.encode(), "text/html; charset=utf-8")


def _command(request: Request) -> list[str]:
    """Return the command of a request as a list."""
    command: Any = request.fields.get("command")
    shell = request.field("shell", bool, False)
    if isinstance(command, str):
        try:
            words = ["/bin/sh", "-c", command] if shell else shlex.split(command)
        except ValueError as error:
            raise BadRequest(f"'command' cannot be split into words: {error}") from None
    elif isinstance(command, list) and all(isinstance(word, str) for word in command):
        words = ["/bin/sh", "-c", *command] if shell else command
    else:
        words = []
    if not words:
        raise BadRequest("'command' must be a text or a list of texts, and not empty")
    if words[0] == "python" and not shutil.which("python"):
        words = [sys.executable, *words[1:]]
    return [str(Path(word).expanduser()) if word.startswith("~/") else word for word in words]


def _pyautogui_code(command: list[str]) -> str:
    """Return the source where the command is `python -c SOURCE` with pyautogui in it: the warm process is faster."""
    is_source = len(command) == 3 and Path(command[0]).name.startswith("python") and command[1] == "-c"
    return command[2] if is_source and "pyautogui" in command[2] else ""


def _status(done: CommandResult) -> str:
    return "success" if done.exit_code == 0 else "error"


def _time_limit_note(done: CommandResult, limit: float) -> str:
    return f"Execution timed out after {limit:g} seconds" if done.timed_out else ""


def _code(done: CommandResult) -> int:
    return -1 if done.timed_out or done.exit_code is None else done.exit_code


def _matcher(name: str, *, strict: bool, by_class: bool) -> Callable[[Window], bool]:
    def matches(window: Window) -> bool:
        found = window.window_class if by_class else window.title
        return found == name if strict else name.lower() in found.lower()

    return matches


def _form_text(form: dict[str, bytes], name: str) -> str:
    if not form.get(name):
        raise BadRequest(f"{name!r} is missing")
    return form[name].decode("utf-8", "replace")


def _folder_tree(path: str) -> dict[str, Any]:
    root: dict[str, Any] = {"type": "directory", "name": Path(path).name, "children": []}
    folders = {".": root}
    for entry in files.entries(path).entries:
        place = Path(entry["path"])
        node: dict[str, Any] = {"type": "file", "name": place.name}
        if entry["type"] == "folder":
            node = {"type": "directory", "name": place.name, "children": []}
            folders[str(place)] = node
        folders[str(place.parent)]["children"].append(node)
    return root
