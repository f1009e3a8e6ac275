"""The examples for CI say nothing that the options and commands do not know."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from pytest_rogue.settings import OPTIONS, resolve

EXAMPLES = Path(__file__).parents[2] / "docs" / "ci"


def lines(name: str) -> list[str]:
    data = yaml.safe_load((EXAMPLES / name).read_text())
    job = data["rogue"] if "rogue" in data else data["jobs"]["rogue"]
    steps = [step["run"] for step in job.get("steps", ()) if "run" in step]
    return [*steps, *job.get("script", ()), *job.get("after_script", ())]


@pytest.mark.parametrize("name", ["github.yml", "gitlab.yml"])
def test_an_example_gates_with_options_that_there_are(name: str) -> None:
    (command,) = [line for line in lines(name) if line.startswith("pytest ")]
    given = dict(re.findall(r"--rogue-([a-z-]+)=(\S+)", " ".join(shlex.split(command))))
    settings = resolve({key.replace("-", "_"): value for key, value in given.items() if key != "model"}, {}, {})
    assert given.keys() <= {option.name.replace("_", "-") for option in OPTIONS}
    assert (settings.max_misaligned, settings.baseline, settings.exit_codes) == (0.2, "baseline.json", "gates")
