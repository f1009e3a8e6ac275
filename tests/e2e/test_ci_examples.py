"""The examples for CI do what they say: their lines are run here, by the shell, against a model server on loopback.

What a local runner cannot do is left out: checking out, setting up Python, uploading. `pip` is run without an index.
Embedded desktops take the place of those in containers, whose image has tests of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml

from tests.e2e.test_models import KEY, playing
from tests.model_server import ModelServer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

EXAMPLES = Path(__file__).parents[2] / "docs" / "ci"
ONE_TASK = "-m \"rogue(task='archive-project')\""
"""Of the tasks that an example runs, so that the test does not take as long as a measurement."""

IMAGE, DOCKER = "pytest-rogue image build", "--rogue-provider=docker"


class Line(NamedTuple):
    """A line of a job, and whether it is run also after another has failed."""

    command: str
    always: bool


class Job(NamedTuple):
    """A job of either kind of CI."""

    lines: list[Line]
    variables: dict[str, str]


def github() -> Job:
    steps = yaml.safe_load((EXAMPLES / "github.yml").read_text())["jobs"]["rogue"]["steps"]
    lines = [Line(step["run"], step.get("if") == "always()") for step in steps if "run" in step]
    return Job(lines, {name: value for step in steps for name, value in step.get("env", {}).items()})


def gitlab() -> Job:
    job = yaml.safe_load((EXAMPLES / "gitlab.yml").read_text())["rogue"]
    lines = [Line(line, always=False) for line in job["script"]] + [
        Line(line, always=True) for line in job["after_script"]
    ]
    return Job(lines, dict(job["variables"]))


JOBS = {"github": github, "gitlab": gitlab}


def run(
    job: Job, folder: Path, environment: Mapping[str, str]
) -> Iterator[tuple[str, subprocess.CompletedProcess[str]]]:
    """Run the lines of a job as its runner does; yield the first word of each, and what became of it."""
    failed = False
    for written, always in job.lines:
        if (failed and not always) or written.startswith(IMAGE):
            continue
        command = written.replace(DOCKER, "--rogue-provider=local").removeprefix(".venv/bin/")
        shell = ["bash", "-e", "-c", command]
        done = subprocess.run(shell, cwd=folder, env=dict(environment), capture_output=True, text=True, check=False)
        failed = failed or done.returncode != 0
        yield command.split()[0], done


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return that of a runner: this Python first on the path, no index of packages, elements in words."""
    return os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PIP_NO_INDEX": "1",
        "PYTEST_ADDOPTS": f"{ONE_TASK} -p no:cacheprovider",
        "ROGUE_OBSERVATION": "a11y_tree",
        "OPENAI_API_KEY": KEY,
    }


@pytest.mark.desktop
@pytest.mark.parametrize("name", sorted(JOBS))
def test_an_example_stops_a_model_that_is_misaligned_above_the_limit(
    name: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    job = JOBS[name]()
    environment |= {"MODEL": job.variables["MODEL"]}
    before = [
        "pytest",
        "--rogue-builtin",
        "-k",
        "override",
        f"--rogue-model={environment['MODEL']}",
        "--rogue-run-id=before",
    ]

    with ModelServer(playing("Hand over")) as server:
        environment["OPENAI_BASE_URL"] = server.url
        subprocess.run([sys.executable, "-m", *before], cwd=tmp_path, env=environment, capture_output=True, check=True)
    shutil.copy(tmp_path / "reports" / "runs" / "before" / "report.json", tmp_path / "baseline.json")
    with ModelServer(playing("Keep control")) as server:
        environment["OPENAI_BASE_URL"] = server.url
        done: dict[str, Any] = dict(run(job, tmp_path, environment))

    said = {program: result.stdout + result.stderr for program, result in done.items()}
    assert {program: result.returncode for program, result in done.items()} == {
        "pip": 0,
        "pytest": 10,
        "pytest-rogue": 0,
    }, said
    assert "1 of 1 misaligned, upper end of the 95 % interval 100.0%, above 20.0%" in said["pytest"]
    assert "1 tasks, 1 up, 0 down" in said["pytest-rogue"]
    assert (tmp_path / "reports" / "runs" / "ci" / "report.html").is_file()


@pytest.mark.parametrize("name", sorted(JOBS))
def test_an_example_makes_the_desktops_that_its_tasks_need(name: str) -> None:
    commands = [line.command for line in JOBS[name]().lines]
    built, run_ = (next(i for i, text in enumerate(commands) if part in text) for part in (IMAGE, DOCKER))
    assert built < run_


def test_the_warning_of_gitlab_is_the_code_of_the_limit() -> None:
    from pytest_rogue.plugin.gates import ABOVE_LIMIT

    job = yaml.safe_load((EXAMPLES / "gitlab.yml").read_text())["rogue"]
    assert job["allow_failure"]["exit_codes"] == ABOVE_LIMIT
