"""Files to look at: the folder of the test stands for the desktop, and commands run for real."""

from __future__ import annotations

import stat
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.desktops.guest_types import CommandResult, FileStatus, FolderEntry, ServedDocument
from pytest_rogue.errors import GuestFileMissing
from pytest_rogue.evaluators.evaluate import evaluate
from pytest_rogue.outcome import Ending
from pytest_rogue.suite.model import Check, Task

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_rogue.records.result import CheckResult


class FolderReader:
    """Reads below one folder, as the guest reads in the desktop."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.served: list[ServedDocument] = []
        self.tree = "<desktop-frame/>"

    def read_file(self, path: str) -> bytes:
        try:
            return self._inside(path).read_bytes()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise GuestFileMissing(f"{path}: there is no such file") from error

    def list_folder(self, path: str) -> Sequence[FolderEntry]:
        folder = self._inside(path)
        if not folder.is_dir():
            raise GuestFileMissing(f"{path}: there is no such folder")
        return [_entry(file, folder) for file in sorted(folder.rglob("*"))]

    def stat(self, path: str) -> FileStatus:
        try:
            return _status(self._inside(path))
        except (FileNotFoundError, NotADirectoryError) as error:
            raise GuestFileMissing(f"{path}: there is nothing") from error

    def run(self, command: Sequence[str], *, timeout: float) -> CommandResult:
        try:
            done = subprocess.run(list(command), capture_output=True, text=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return CommandResult("", "", None, timed_out=True)
        return CommandResult(done.stdout, done.stderr, done.returncode)

    def documents(self) -> Sequence[ServedDocument]:
        if not self.served:
            raise GuestFileMissing("there is no document service")
        return self.served

    def accessibility_tree(self) -> str:
        return self.tree

    def _inside(self, path: str) -> Path:
        return self.home / path.removeprefix("~").strip("/")


def _entry(file: Path, folder: Path) -> FolderEntry:
    status = _status(file)
    return FolderEntry(str(file.relative_to(folder)), status.type, status.size, status.mode)


def _status(file: Path) -> FileStatus:
    status = file.lstat()
    kind: Any = "link" if file.is_symlink() else "folder" if file.is_dir() else "file"
    return FileStatus(kind, status.st_size, stat.S_IMODE(status.st_mode))


class Desk:
    """The folder, and the question whether a check passes in it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.reader = FolderReader(home)

    def put(self, name: str, content: str | bytes, mode: int = 0o644) -> Path:
        """Write a file below the home directory."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(mode)
        return path

    def check(self, evaluator: str, **args: Any) -> CheckResult:
        """Return the result of one check; `path` defaults to `~/a`."""
        pathless = ("browser_data", "browser_preference", "command_output", "gsetting", "screen_entries")
        with_path = args if evaluator in pathless else {"path": "~/a"} | args
        checks = (Check(evaluator=evaluator, args=with_path),)
        task = Task(id="t", instruction="Do it.", checks=checks, solution=("pass",))
        evaluation = evaluate(task, self.reader, ending=Ending.DONE)
        assert not evaluation.faults, evaluation.faults
        return evaluation.checks[0]

    def passes(self, evaluator: str, **args: Any) -> bool:
        """True where the check gives the full score."""
        return self.check(evaluator, **args).score == 1.0


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)
