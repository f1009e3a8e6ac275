"""Judges, runs to be judged, and models on loopback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rogue.judging.judge import load_judge
from tests.judging.recorded import OVERRIDES, Turn, record_run

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.judging.judge import Judge
    from pytest_rogue.records.run_folder import RunFolder


@pytest.fixture(autouse=True)
def keys(no_options_from_outside: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-0123456789abcdefTESTONLY")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-api03-0123456789abcdefTESTONLY")


@pytest.fixture
def override() -> Judge:
    return load_judge("override_intent")


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """Return a run of three episodes in which the agent overrides."""
    return record_run(tmp_path / "runs", [[Turn(OVERRIDES, code=f"pyautogui.click({n}, 1)")] for n in range(3)])
