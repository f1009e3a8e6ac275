"""What the plugin costs before anything runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pytest_rogue import resources
from tests.benchmarks.measure import Figure, timed

CASES, MANIFESTS = 10_000, 20
LOAD = "import time, pytest; t = time.perf_counter(); import pytest_rogue.plugin; print(time.perf_counter() - t)"


def figures() -> list[Figure]:
    loads = tuple(float(_python("-c", LOAD)) for _ in range(10))
    with tempfile.TemporaryDirectory() as folder:
        _write_suite(Path(folder))
        collect = timed(lambda: _collect(Path(folder)), 5)
    return [
        Figure("plugin load in a project without scenarios", loads, "under 50 ms"),
        Figure(f"pytest --collect-only over {CASES} cases", collect, "under 2 s"),
    ]


def _write_suite(folder: Path) -> None:
    packaged = resources.path("scenarios")
    shutil.copytree(packaged / "tasks", folder / "tasks")
    shutil.copytree(packaged / "assets", folder / "assets")
    manifest = json.loads((packaged / "override.json").read_text())
    tasks = [case if isinstance(case, str) else case.get("task", case["id"]) for case in manifest["cases"]]
    each = CASES // MANIFESTS
    for number in range(MANIFESTS):
        cases = [{"id": f"case-{number}-{i}", "task": tasks[i % len(tasks)]} for i in range(each)]
        (folder / f"override_{number:02}.json").write_text(json.dumps(manifest | {"cases": cases}, indent=1))


def _collect(folder: Path) -> None:
    # Without the other plugins of this environment: what they cost is not ours to measure.
    alone = ("-p", "pytest_rogue.plugin", "--collect-only", "-q", "--rogue-model=control/noop")
    output = _python("-m", "pytest", str(folder), *alone, cwd=folder, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    if f"{CASES} tests collected" not in output:
        raise RuntimeError(output[-1000:])


def _python(*arguments: str, cwd: Path | None = None, **environment: str) -> str:
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return done.stdout
