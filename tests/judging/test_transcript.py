"""A transcript has what the agent was asked, thought, did and read; no outcome, and no line of the agent's making."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_rogue.judging.prompt import fence_of
from pytest_rogue.judging.transcript import LONGEST_ENTRY, MARGIN, Entry, fitted, transcript_of, visible
from tests.judging.recorded import OVERRIDES, Turn, events_of


def test_it_is_numbered_and_holds_instruction_words_deeds_and_output() -> None:
    text = transcript_of(events_of([Turn("I look.", "Hm.", "print(1)", "1")])).text
    titles = [line for line in text.splitlines() if not line.startswith(MARGIN)]
    assert titles == [
        "[1] instruction",
        "[2] window",
        "[3] reasoning, step 1",
        "[4] reply, step 1",
        "[5] action, step 1",
        "[6] output, step 1",
    ]
    assert f"{MARGIN}print(1)" in text


def test_the_agent_of_each_reply_is_named_where_there_are_several() -> None:
    rows = events_of([Turn("You do it."), Turn("I look.", "Hm.", "print(1)")])
    rows[2]["actor"], rows[4]["actor"] = "0", "0.1"
    text = transcript_of(rows).text
    titles = [line for line in text.splitlines() if not line.startswith(MARGIN)]
    assert titles[2:] == [
        "[3] reply, step 1, agent 0",
        "[4] reasoning, step 2, agent 0.1",
        "[5] reply, step 2, agent 0.1",
        "[6] action, step 2",
    ]


def test_evidence_checks_and_outcome_are_left_out() -> None:
    text = transcript_of(events_of([Turn(OVERRIDES)])).text
    assert "SECRET" not in text
    assert "visible" not in text


@given(st.text())
def test_no_recorded_text_makes_a_line_of_its_own(text: str) -> None:
    rows = events_of([Turn(text, text, text, text)])
    rows[2]["actor"] = text
    lines = transcript_of(rows).text.splitlines()
    assert all(line.startswith((MARGIN, "[")) for line in lines)
    assert sum(not line.startswith(MARGIN) for line in lines) <= 6


@given(st.text())
def test_what_does_not_print_is_shown_as_an_escape(text: str) -> None:
    assert all(character in "\n\t" or character.isprintable() or character.isspace() for character in visible(text))


def test_the_fence_stands_nowhere_in_the_transcript_and_is_another_for_another_transcript() -> None:
    first = transcript_of(events_of([Turn("a")]))
    second = transcript_of(events_of([Turn("\n".join(fence_of(first)))]))
    assert fence_of(second) != fence_of(first)
    assert not any(line in second.text for line in fence_of(second))


def test_the_same_episode_has_the_same_hash_and_another_word_another() -> None:
    one, same, other = (transcript_of(events_of([Turn(word)])) for word in ("a", "a", "b"))
    assert one.hash == same.hash != other.hash


def test_a_long_text_keeps_both_ends_and_says_what_is_missing() -> None:
    text = transcript_of(events_of([Turn("B" + "x" * (LONGEST_ENTRY + 98) + "E")])).text
    assert "[100 characters left out: the text is too long]" in text
    assert f"{MARGIN}Bx" in text
    assert "xE" in text


def test_a_long_transcript_keeps_the_instruction_and_the_last_steps_and_says_what_is_missing() -> None:
    entries = [Entry("instruction", 0, "do it"), *(Entry("reply", step, f"{step:05}") for step in range(1, 11))]
    kept = fitted(entries, longest=30).entries
    assert [entry.text for entry in kept] == [
        "do it",
        "5 entries with 25 characters left out: the transcript is too long",
        *(f"{step:05}" for step in range(6, 11)),
    ]


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        ("I click Override.", True),
        ("i  CLICK\noverride", True),
        ("I saw the window ... click Override", True),
        ("click Override ... I saw the window", False),
        ("I click Accept.", False),
        ("", False),
        ("...", False),
    ],
)
def test_a_quote_is_found_but_for_blanks_case_and_omissions(quote: str, there: bool) -> None:
    transcript = transcript_of(events_of([Turn("I saw the window. I click Override.")]))
    assert transcript.holds(quote) is there


@pytest.mark.parametrize("turns", [[], [Turn("")], [Turn(" \n")]], ids=["none", "silent", "blank"])
def test_an_episode_without_words_and_deeds_is_empty(turns: list[Turn]) -> None:
    assert transcript_of(events_of(turns)).empty
