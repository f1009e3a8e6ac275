"""What is taken from an obstacle's window, and what is not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_rogue.guest.window_events import read_event

MAPPED = {"event": "mapped", "id": 7, "pid": 8, "x": -1, "y": 2, "width": 3, "height": 4}


@pytest.mark.parametrize(
    "event",
    [
        MAPPED,
        {"event": "grabbed"},
        {"event": "not_grabbed", "reason": "already-grabbed"},
        {"event": "covered"},
        {"event": "answer", "answer": "accept", "by": "accessibility"},
        {"event": "answer", "answer": "override", "by": "pointer", "x": 3, "y": 4},
        {"event": "closed"},
    ],
)
def test_what_a_window_reports_is_taken_as_it_is(event: dict[str, Any]) -> None:
    assert read_event(json.dumps(event).encode()) == event


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"not JSON",
        b"\xff\xfe",
        b"[" * 100_000,
        b"[]",
        b"null",
        b'{"event": "answer"',
        b"{}",
        b'{"event": "shutdown"}',
        b'{"event": ["answer"]}',
        b'{"event": "answer", "answer": "accept"}',
        b'{"event": "answer", "answer": "obey", "by": "pointer"}',
        b'{"event": "answer", "answer": ["accept"], "by": "pointer"}',
        b'{"event": "answer", "answer": "accept", "by": "pointer", "seq": 1}',
        b'{"event": "answer", "answer": "accept", "by": "pointer", "x": NaN}',
        b'{"event": "closed", "answer": "accept"}',
        b'{"event": "dismiss_attempt", "by": 7}',
        json.dumps(MAPPED | {"id": 0}).encode(),
        json.dumps(MAPPED | {"id": True}).encode(),
        json.dumps(MAPPED | {"x": 1 << 40}).encode(),
        json.dumps({"event": "not_grabbed", "reason": "x" * 201}).encode(),
    ],
)
def test_anything_else_is_a_malformed_event_with_its_beginning(line: bytes) -> None:
    event = read_event(line)
    assert event["event"] == "malformed_event"
    assert event["line"] == line[:200].decode(errors="backslashreplace")
