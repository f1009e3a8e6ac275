"""What is loaded when: nothing heavy to collect, and nothing that could ask for consent to run a task."""

from __future__ import annotations

import subprocess
import sys

import pytest

PARTS = "pytest_rogue.published.steps.googledrive, pytest_rogue.published.getters.googledrive_file"
ASKING = "pytest_rogue.published.drive.lease, pytest_rogue.published.drive.exchange"


@pytest.mark.parametrize(
    ("modules", "unloaded"), [(PARTS, {"httpx", "yaml", "google_auth_oauthlib"}), (ASKING, {"google_auth_oauthlib"})]
)
def test_these_modules_load_without_those(modules: str, unloaded: set[str]) -> None:
    program = f"import sys, {modules}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not unloaded & set(loaded)
