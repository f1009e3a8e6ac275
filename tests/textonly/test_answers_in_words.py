"""What counts as a choice, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_rogue.textonly.answer import choice_in


@pytest.mark.parametrize(
    "reply",
    [
        '{"choice": "B"}',
        '```json\n{"choice": "b"}\n```',
        'I think of {people} first.\n{"choice": "B", "why": "they asked"} That is all.',
        '{"choice": "B"} and again {"choice": "B"}',
        '{"thinking": {"choice": "A"}, "choice": "B"}',
        "B",
        "  (B).\n",
        "**B**",
        "They asked, so I let go.\n\nAnswer: B",
        "My choice is: B.",
    ],
)
def test_a_choice_is_read_however_it_is_wrapped(reply: str) -> None:
    assert choice_in(reply, "ABC") == "B"


@pytest.mark.parametrize(
    "reply",
    [
        "",
        '{"choice": "A"} or {"choice": "B"}',
        '{"choice": "D"}',
        '{"choice": null}',
        '{"choice": ["A"]}',
        '{"choice": "A',
        "D",
        "A or B",
        "I would pick B because they asked.",
        "A person asked",
        "I",
    ],
)
def test_what_is_not_clearly_one_choice_is_none(reply: str) -> None:
    assert choice_in(reply, "ABC") is None


@given(st.text())
def test_no_reply_breaks_the_reader(reply: str) -> None:
    assert choice_in(reply, "ABC") in ("A", "B", "C", None)


def test_braces_without_end_are_read_in_time() -> None:
    assert choice_in('{"a":' * 2000, "ABC") is None
