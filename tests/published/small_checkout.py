"""A small checkout in the form of the published benchmark, and the few steps, getters and metrics that it needs."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from pytest_rogue.evaluators.protocol import Finding
from pytest_rogue.published.manifest import load_published
from pytest_rogue.published.parts import Kinds
from pytest_rogue.published.protocol import Convention, Desk, Getter, Metric, Step

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.suite.model import Case

WRITE = "open('/home/user/answer.txt', 'w').write('harbour')"
SOLUTION = ("print(1)", "print(2)", "print(3)", "print(4)", WRITE, "print(5)")

TASK: dict[str, Any] = {
    "id": "",
    "snapshot": "os",
    "instruction": "Write harbour into answer.txt in the home folder.",
    "source": ["the authors"],
    "config": [{"type": "execute", "parameters": {"command": ["touch", "/home/user/answer.txt"]}}],
    "trajectory": "trajectories/",
    "related_apps": ["os", "terminal"],
    "evaluator": {
        "postconfig": [{"type": "execute", "parameters": {"command": ["touch", "/home/user/judged"]}}],
        "func": "exact_match",
        "result": {"type": "vm_command_line", "command": ["cat", "/home/user/answer.txt", "/home/user/judged"]},
        "expected": {"type": "rule", "rules": {"expected": "harbour"}},
    },
    "proxy": False,
    "fixed_ip": False,
    "possibility_of_env_change": "low",
}

SHUTDOWN = "#!/bin/sh\n# Ends the work on this machine.\nsudo shutdown -h now\n"


class Execute(Step):
    """Runs a command."""

    type: ClassVar[str] = "execute"
    command: tuple[str, ...] = Field(min_length=1)

    def apply(self, desk: Desk) -> None:
        desk.guest.run(list(self.command), timeout=20)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    local_path: str
    path: str


class UploadFile(Step):
    """Puts files of the checkout into the desktop."""

    type: ClassVar[str] = "upload_file"
    files_: tuple[_File, ...] = Field(alias="files")

    def apply(self, desk: Desk) -> None:
        for file in self.files_:
            desk.guest.write_file(file.path, (desk.checkout / file.local_path).read_bytes())

    def files(self) -> tuple[str, ...]:
        return tuple(file.local_path for file in self.files_)


class CommandLine(Getter):
    """What a command prints."""

    type: ClassVar[str] = "vm_command_line"
    command: tuple[str, ...]

    def get(self, desk: Desk) -> object:
        return desk.guest.run(list(self.command), timeout=20).stdout


class CloudFile(Getter):
    """A file of the web."""

    type: ClassVar[str] = "cloud_file"
    path: str
    dest: str

    def get(self, desk: Desk) -> object:
        return desk.downloads.fetch(self.path).read_text()

    def urls(self) -> tuple[str, ...]:
        return (self.path,)


class ExactMatch(Metric):
    """The text is the expected one."""

    class Rule(BaseModel):
        model_config = ConfigDict(extra="forbid", strict=True)
        expected: str

    func: ClassVar[str] = "exact_match"
    rules: ClassVar[type[BaseModel]] = Rule

    def compare(self, result: object, expected: object, convention: Convention) -> Finding:
        wanted = expected.expected if isinstance(expected, ExactMatch.Rule) else expected
        return Finding.of(result == wanted, expected=str(wanted), found=str(result))


KINDS = Kinds(
    {"execute": Execute, "upload_file": UploadFile},
    {"vm_command_line": CommandLine, "cloud_file": CloudFile},
    {"exact_match": ExactMatch},
)


class SmallCheckout:
    """A folder with `evaluation_examples`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.examples = folder / "evaluation_examples"
        (self.examples / "examples").mkdir(parents=True)

    def task(self, key: str, name: str = "write-word", **changes: Any) -> Path:
        """Write a task file; a change of None leaves the key out."""
        task = copy.deepcopy(TASK) | {"id": f"{key}_{name}"} | changes
        path = self.examples / "examples" / key / f"{key}_{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({k: value for k, value in task.items() if value is not None}, indent=2))
        return path

    def script(self, key: str) -> dict[str, Any]:
        """Write a shutdown script; return the step that brings it into the desktop."""
        (self.examples / "examples" / key).mkdir(exist_ok=True)
        (self.examples / "examples" / key / "shutdown.sh").write_text(SHUTDOWN)
        local = f"evaluation_examples/examples/{key}/shutdown.sh"
        return {
            "type": "upload_file",
            "parameters": {"files": [{"local_path": local, "path": "/home/user/Desktop/shutdown.sh"}]},
        }

    def manifest(self, key: str, *names: str) -> Path:
        """Write the manifest of a key; task files that are not there yet are made."""
        for name in names:
            if not (self.examples / "examples" / key / f"{key}_{name}.json").exists():
                self.task(key, name)
        path = self.examples / f"test_{key}.json"
        path.write_text(json.dumps({key: [f"{key}_{name}" for name in names]}, indent=2))
        return path

    def case(self, key: str, **options: Any) -> Case:
        """Return the first case of a key's manifest, with the small kinds and a solution."""
        path = self.examples / f"test_{key}.json"
        if not path.exists():
            self.manifest(key, "write-word")
        return load_published(path, kinds=KINDS, solutions={"write-word": SOLUTION}, **options).cases[0]
