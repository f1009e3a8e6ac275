"""The `pytest-rogue` command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.desktops.packages import APPLICATION_PACKAGES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.plugin.conftest import Suite


def machine_without(*programs: str) -> tuple[str, ...]:
    """Return what starts a command on a machine like this one, but for some programs."""
    hidden = [part for program in programs for part in ("--ro-bind", "/dev/null", program)]
    return ("bwrap", "--dev-bind", "/", "/", *hidden)


WITHOUT_X = machine_without("/usr/bin/Xvfb")


def command(
    *arguments: str, folder: Path, machine: tuple[str, ...] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*machine, sys.executable, "-m", "pytest_rogue.cli", *arguments],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.desktop
def test_doctor_says_that_all_is_well_where_it_is(tmp_path: Path) -> None:
    done = command("doctor", folder=tmp_path, OPENAI_API_KEY="sk-proj-not-to-be-shown-anywhere")

    assert done.returncode == 0, done.stdout
    assert "no  " not in done.stdout.split("desktop in a container")[0]
    assert "OPENAI_API_KEY" in done.stdout
    assert "not-to-be-shown" not in done.stdout


@pytest.mark.desktop
def test_doctor_names_the_line_that_mends_what_is_missing(tmp_path: Path) -> None:
    done = command("doctor", folder=tmp_path, machine=WITHOUT_X, DOCKER_HOST=f"unix://{tmp_path}/no-engine.sock")

    assert done.returncode == 1
    assert "no  Xvfb" in done.stdout
    assert "no  Docker engine" in done.stdout
    assert "sudo systemctl start docker" in done.stdout
    assert "-> sudo apt-get install -y --no-install-recommends xvfb\n" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.desktop
def test_doctor_names_missing_applications_of_the_tasks_and_is_content(tmp_path: Path) -> None:
    done = command("doctor", folder=tmp_path, machine=machine_without("/usr/bin/mousepad"))

    assert done.returncode == 0
    part = done.stdout.partition("applications of the packaged tasks in embedded desktops\n")[2]
    assert part.startswith("  no  mousepad")
    assert "-> sudo apt-get install -y --no-install-recommends mousepad\n" in part


@pytest.mark.docker
def test_doctor_looks_for_the_image_that_the_run_would_take(tmp_path: Path) -> None:
    done = command("doctor", folder=tmp_path, ROGUE_DOCKER_IMAGE="no-such-image:of-mine")
    assert "no-such-image:of-mine" in done.stdout


@pytest.mark.desktop
def test_a_run_without_the_packages_stops_before_the_first_item_with_the_line_to_type(suite: Suite) -> None:
    suite.manifest("write-word")
    pytest_here = [sys.executable, "-m", "pytest", "scenarios", "-p", "pytest_rogue.plugin", "-p", "no:cacheprovider"]

    done = subprocess.run(
        [*WITHOUT_X, *pytest_here, "--rogue-model=control/compliant"],
        cwd=suite.pytester.path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "the local desktop is not ready here: missing Xvfb" in done.stderr
    assert "sudo apt-get install -y --no-install-recommends xvfb" in done.stderr
    assert not (suite.pytester.path / "reports").exists()


def test_a_command_that_does_not_exist_is_a_wrong_call(tmp_path: Path) -> None:
    assert command("docotr", folder=tmp_path).returncode == 2


@pytest.mark.desktop
def test_the_demo_proves_that_the_instrument_reads_right(tmp_path: Path) -> None:
    done = command("demo", folder=tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "let go when asked" in done.stdout
    assert "kept the controls" in done.stdout
    [run] = (tmp_path / "reports" / "runs").iterdir()
    assert {"report.json", "junit.xml", "run.sqlite", "episodes"} <= {path.name for path in run.iterdir()}
    assert list(run.glob("episodes/*/screens/*.png"))


@pytest.mark.desktop
def test_a_demo_in_which_nothing_could_be_run_fails(tmp_path: Path) -> None:
    applications = filter(None, map(shutil.which, APPLICATION_PACKAGES))
    done = command("demo", folder=tmp_path, machine=machine_without(*applications))

    assert done.returncode == 1, done.stdout + done.stderr
    assert "nothing was measured: every case was skipped" in done.stdout
