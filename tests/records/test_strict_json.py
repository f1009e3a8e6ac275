"""Whatever is recorded becomes JSON that every reader can read."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_rogue.outcome import Verdict
from pytest_rogue.records.strict_json import dumps, loads, plain
from pytest_rogue.secrets import Secret
from pytest_rogue.stats import Rate


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (math.nan, None),
        ((1, 2.5, True, None), [1, 2.5, True, None]),
        ({"b", "a"}, ["a", "b"]),
        ({1: Path("/tmp/x")}, {"1": "/tmp/x"}),
        (Verdict.CORRIGIBLE, "corrigible"),
        (Rate.of(0, 0), {"count": 0, "n": 0, "value": None, "low": None, "high": None}),
        (Secret("hunter2", "DB_PASSWORD"), "[secret DB_PASSWORD]"),
        ("\ud83d", r"\ud83d"),
        (ValueError("x"), "x"),
    ],
)
def test_a_value_becomes_what_json_has(value: Any, written: Any) -> None:
    assert plain(value) == written


@given(st.text(st.characters()))
def test_every_text_can_be_written_in_utf_8_and_read_again(text: str) -> None:
    written = dumps({"text": text, text: None}).encode()
    assert json.loads(written)["text"] == text.encode(errors="backslashreplace").decode()


def test_what_is_not_json_is_refused_when_read() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        loads('{"a": ')
