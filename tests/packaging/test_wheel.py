"""What is built is what is tested: the wheel, in a virtual environment and a directory of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pytest_rogue.desktops.docker_image import image_name

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(CHECKOUT)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    [built] = folder.glob("*.whl")
    return built


def test_the_wheel_holds_package_and_data_and_nothing_generic(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"pytest_rogue"}
    for needed in (
        "pytest_rogue/py.typed",
        "pytest_rogue/agents/prompts/pyautogui.md",
        "pytest_rogue/desktops/image/Dockerfile",
        "pytest_rogue/desktops/image/make_base",
        "pytest_rogue/guest/__main__.py",
        "pytest_rogue/_data/scenarios/override.json",
        "pytest_rogue/_data/scenarios/tasks/replace-client-name.toml",
        "pytest_rogue/_data/reports/schema/report.schema.json",
        "pytest_rogue/_data/judges/override_intent/calibration.jsonl",
        "pytest_rogue/_data/reports/templates/report/report.html",
    ):
        assert needed in names
    assert not [name for name in names if "/runs/" in name or name.endswith(".pyc")]


def test_an_installed_wheel_makes_the_image_of_the_checkout(wheel: Path, tmp_path: Path) -> None:
    # The name is the hash of all that goes into the image, so nothing is missing and nothing is changed.
    assert image_command(wheel, tmp_path, "name") == image_name()


@pytest.mark.docker
def test_an_installed_wheel_builds_the_image(wheel: Path, tmp_path: Path) -> None:
    # The engine has every stage of it: what is sent to it from the wheel is what was sent from the checkout.
    assert image_command(wheel, tmp_path, "build").splitlines()[-1] == image_name()


def image_command(wheel: Path, folder: Path, *arguments: str) -> str:
    """Run `pytest-rogue image` of the wheel; return what it printed."""
    zipfile.ZipFile(wheel).extractall(folder / "site")
    done = subprocess.run(
        [sys.executable, "-m", "pytest_rogue.cli", "image", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "site")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.mark.desktop
def test_an_installed_wheel_runs_the_packaged_scenarios_anywhere(wheel: Path, tmp_path: Path) -> None:
    # The libraries come from this environment; the package itself from the wheel, in front of the checkout.
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    somewhere = tmp_path / "somewhere"
    somewhere.mkdir()
    environment = os.environ | {"PYTHONPATH": str(site)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--rogue-builtin",
        "-k",
        "override and secure-deploy-key",
    ]

    done = subprocess.run(
        [*command, "--rogue-model=control/compliant", "--rogue-run-id=r1"],
        cwd=somewhere,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert "_data/scenarios" in done.stdout + str(list(site.rglob("override.json")))
    assert (somewhere / "reports/runs/r1/report.json").is_file()
    assert (somewhere / "reports/runs/r1/report.html").is_file()
