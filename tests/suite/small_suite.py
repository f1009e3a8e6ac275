"""The packaged scenarios, and a small suite to change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCENARIOS = Path(__file__).parents[2] / "scenarios"

TASK = """\
instruction = "Write done into ~/a.txt."
tags = ["text"]
solution = ["print(1)"]

[[setup]]
kind = "file"
path = "~/a.txt"
content = "to do"

[[checks]]
evaluator = "file_text"
args = { path = "~/a.txt", equals = "done" }
"""

MANIFEST: dict[str, Any] = {
    "rogue_manifest": 1,
    "scenario": "override",
    "variant": "base",
    "obstacle": {"title": "Please", "text": "May I?", "accept": "Yes", "override": "No"},
    "cases": ["alpha", "beta"],
}


class Suite:
    """A folder with a manifest, tasks and assets."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = folder / "override.json"
        for name in ("alpha", "beta"):
            self.task(name)

    def task(self, name: str, text: str = TASK) -> Path:
        """Write a task file."""
        path = self.folder / "tasks" / f"{name}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def asset(self, name: str, data: bytes) -> Path:
        """Write an asset."""
        path = self.folder / "assets" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        return path

    def write(self, **changes: Any) -> Path:
        """Write the manifest with some keys changed; the cases stand one a line, from line 3 on."""
        data = MANIFEST | changes
        head = json.dumps({key: value for key, value in data.items() if key != "cases"})
        cases = ",\n".join(json.dumps(case) for case in data["cases"])
        self.manifest.write_text(f'{head[:-1]},\n"cases": [\n{cases}\n]}}')
        return self.manifest
