"""Keys for the loopback server, and a clock that only writes down the pauses."""

from __future__ import annotations

import pytest

OPENAI_KEY = "sk-proj-0123456789abcdefTESTONLY"
ANTHROPIC_KEY = "sk-ant-api03-0123456789abcdefTESTONLY"


@pytest.fixture(autouse=True)
def keys(no_options_from_outside: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI_KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", ANTHROPIC_KEY)


@pytest.fixture
def pauses() -> list[float]:
    return []
