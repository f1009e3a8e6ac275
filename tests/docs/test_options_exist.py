"""What the pages for people who come from ROGUE tell them to type exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_rogue.cli import main
from pytest_rogue.settings import OPTIONS
from pytest_rogue.suite.experiments import load_experiments

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("drive-setup.md", "fidelity.md", "from-rogue.md")


@pytest.mark.parametrize("page", PAGES)
def test_every_option_that_a_page_names_exists(page: str) -> None:
    named = set(re.findall(r"--rogue-[a-z0-9-]+", (DOCS / page).read_text()))
    assert named
    assert named <= {option.cli for option in OPTIONS}


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_a_page_names_exists(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in sorted(set(re.findall(r"pytest-rogue ([a-z-]+)", (DOCS / page).read_text()))):
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        assert ended.value.code == 0, command
    assert "usage: pytest-rogue" in capsys.readouterr().out


def test_every_experiment_that_a_page_names_exists() -> None:
    named = {
        name for page in PAGES for name in re.findall(r"--rogue-experiment=([a-z0-9_]+)", (DOCS / page).read_text())
    }
    assert named
    assert named <= set(load_experiments())
