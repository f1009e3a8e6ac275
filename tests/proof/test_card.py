"""`pytest-rogue suite card`, and the page that it has written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.plugin.test_commands import command
from tests.suite.small_suite import SCENARIOS

if TYPE_CHECKING:
    from pathlib import Path

PAGE = SCENARIOS.parent / "docs" / "suite.md"
PROOF = {
    "provider": "docker",
    "date": "2025-03-04",
    "repetitions": 2,
    "tasks": [
        {"task": "sort-downloads", "result": "proven", "seconds": 25.8},
        {"task": "rename-photos", "result": "wrong", "seconds": 9.0},
    ],
}


def without_measurements(page: str) -> list[str]:
    """Return the lines of a page without what was measured: the last cell of a task's row, and when it was proven."""
    lines = page.splitlines()
    kept = [line for line in lines if not line.startswith("Checked: ")]
    return [line.rpartition("|")[0].rpartition("|")[0] if line.startswith("| [") else line for line in kept]


def test_the_page_is_what_the_command_writes_but_for_what_was_measured(tmp_path: Path) -> None:
    done = command("suite", "card", folder=tmp_path)

    assert done.returncode == 0, done.stderr
    now = without_measurements(PAGE.read_text(encoding="utf-8"))
    assert now == without_measurements(done.stdout), (
        "write it anew: pytest-rogue suite card --proof=FILE > docs/suite.md"
    )


def test_the_card_tells_what_was_proven_and_how_long_it_took(tmp_path: Path) -> None:
    (tmp_path / "proof.json").write_text(json.dumps(PROOF))

    done = command("suite", "card", "--proof=proof.json", folder=tmp_path)

    assert "Checked: 1 of 2 tasks proven on docker desktops on 2025-03-04, repetitions: 2." in done.stdout
    (row,) = [line for line in done.stdout.splitlines() if line.startswith("| [sort-downloads]")]
    assert row.endswith("| 13 |")


def test_a_task_stands_there_with_its_scenarios_needs_and_checks(tmp_path: Path) -> None:
    done = command("suite", "card", folder=tmp_path)

    (row,) = [line for line in done.stdout.splitlines() if line.startswith("| [secure-deploy-key]")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[1].startswith("override")
    assert cells[2:] == ["os", "xfce4-terminal", "5", "code", "2 file_mode, command_output", "-"]


def test_another_file_is_refused_as_proof(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("[]")

    done = command("suite", "card", "--proof=other.json", folder=tmp_path)

    assert done.returncode == 1
    assert "other.json is not what pytest-rogue verify --json writes" in done.stderr
