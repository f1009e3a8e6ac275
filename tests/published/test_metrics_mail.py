"""Metrics on Thunderbird's files, in the form in which it writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rogue.errors import InfraError
from tests.published.judging import file, gold, judged, score

if TYPE_CHECKING:
    from collections.abc import Mapping

DELETED = "0009"


def message(subject: str, body: str = "Please pay.", status: str = "0001") -> str:
    return (
        f"From - Mon Mar  3 09:15:00 2025\nX-Mozilla-Status: {status}\nX-Mozilla-Status2: 00000000\n"
        f"From: Front Office <office@school.example>\nSubject: {subject}\n\n{body}\n\n"
    )


def same(found: str, wanted: str, **how: object) -> float:
    return score("check_thunderbird_folder", file(found), gold(wanted), **how)


def test_folders_have_the_same_messages_in_any_order() -> None:
    assert same(message("A") + message("B"), message("B") + message("A")) == 1.0
    assert same(message("A"), message("A") + message("B")) == 0.0
    assert same(message("A") + message("B"), message("A")) == 0.0


@pytest.mark.parametrize("other", [message("B"), message("A", "Please wait."), ""])
def test_unlike_messages_are_not_the_same_but_for_upstream(other: str) -> None:
    assert same(other, message("A")) == 0.0
    assert same(other, message("A"), convention="upstream") == 1.0


def test_what_the_program_keeps_for_itself_does_not_count() -> None:
    noted = message("A").replace("X-Mozilla-Status2", "X-Account-Key: account1\nX-Mozilla-Keys: x\nX-Mozilla-Status2")
    assert same(noted, message("A", status="0000")) == 1.0
    assert same(noted.replace("\n", "\r\n"), message("A")) == 1.0


def test_a_message_that_was_moved_away_is_not_there_unless_that_is_asked_for() -> None:
    moved = message("A") + message("B", status=DELETED)
    assert same(moved, message("A")) == 1.0
    assert same(moved, message("A"), remove_deleted=False) == 0.0


def test_a_message_that_is_there_twice_counts_once_unless_that_is_asked_for() -> None:
    assert same(message("A") * 2, message("A")) == 1.0
    assert same(message("A") * 2, message("A"), remove_duplicate=False) == 0.0


def attached(content: str, boundary: str) -> str:
    return (
        f"From: a@school.example\nSubject: Bill\nMIME-Version: 1.0\n"
        f'Content-Type: multipart/mixed; boundary="{boundary}"\n\n'
        f"--{boundary}\nContent-Type: text/plain\n\nHere it is.\n--{boundary}\n"
        f'Content-Type: application/pdf; name="bill.pdf"\nContent-Disposition: attachment; filename="bill.pdf"\n'
        f"Content-Transfer-Encoding: base64\n\n{content}\n--{boundary}--\n"
    )


def test_a_saved_message_has_the_same_attachments_however_they_are_written_down() -> None:
    wanted = attached("JVBERi0xLjQgYSBiaWxs", "one")
    assert same(attached("JVBERi0xLjQg\nYSBiaWxs", "other"), wanted) == 1.0
    assert same(attached("JVBERi0xLjQgYSBib29r", "one"), wanted) == 0.0


def test_a_saved_message_is_the_same_as_in_its_folder() -> None:
    assert same(message("A").partition("\n")[2], message("A")) == 1.0


def test_each_of_several_folders_is_compared() -> None:
    wanted = [gold(message("A"), "seen"), gold(message("B"), "bills")]
    assert score("check_thunderbird_folder", [file(message("A")), file(message("B"))], wanted) == 1.0
    told = judged("check_thunderbird_folder", [file(message("A")), file(message("A"))], wanted)
    assert (told.score, told.expected, told.found) == (0.0, "the messages of bills", "1 of them missing, 1 others")


@pytest.mark.parametrize("convention", ["ours", "upstream"])
def test_a_missing_folder_is_not_passed_over(convention: str) -> None:
    wanted = [gold(message("A")), gold(message("B"))]
    assert score("check_thunderbird_folder", [file(message("A")), None], wanted, convention=convention) == 0.0


def test_broken_messages_score_nothing_and_those_of_the_task_are_a_fault() -> None:
    broken = message("A", status="none")
    assert "no readable messages" in judged("check_thunderbird_folder", file(broken), gold(message("A"))).found
    with pytest.raises(InfraError, match="downloaded again"):
        same(message("A"), broken)


FILTER = """version="9"
logging="no"
name="Forward all"
enabled="yes"
type="17"
action="Forward"
actionValue="registry@school.example"
condition="ALL"
"""
ASKED = {"enabled": "yes", "action": "Forward", "actionValue": "registry@school.example", "condition": ["ALL"]}


def filtered(text: str, asked: Mapping[str, object] = ASKED, **how: object) -> float:
    return score("check_thunderbird_filter", file(text), asked={"expect": [asked]}, **how)


def test_a_filter_has_its_state_action_and_condition() -> None:
    assert filtered(FILTER) == 1.0
    for part, other in (('"yes"', '"no"'), ("registry@", "office@"), ('"ALL"', '"AND (subject,contains,A)"')):
        assert filtered(FILTER.replace(part, other)) == 0.0
    assert filtered("") == 0.0


def test_the_conditions_of_a_filter_are_compared_each() -> None:
    asked = ASKED | {"condition": ["AND (subject,contains,A)", "AND (from,is,b)"]}
    text = FILTER.replace('"ALL"', '"AND (subject,contains,A) AND (from,is,b)"')
    assert filtered(text, asked) == 1.0
    assert filtered(FILTER, asked) == 0.0


def test_a_filter_does_nothing_else_but_for_upstream() -> None:
    text = FILTER.replace('action="Forward"', 'action="Delete"\naction="Forward"')
    assert filtered(text) == 0.0
    assert filtered(text, convention="upstream") == 1.0


def test_a_filter_is_applied_to_incoming_mail_but_for_upstream() -> None:
    text = FILTER.replace('type="17"', 'type="16"')
    assert filtered(text) == 0.0
    assert filtered(text, convention="upstream") == 1.0


def test_one_filter_among_others_is_enough() -> None:
    other = FILTER.replace("Forward all", "Other").replace('"yes"', '"no"').partition("\n")[2]
    assert filtered(FILTER + other) == 1.0


def test_a_file_of_filters_that_is_no_text_scores_nothing() -> None:
    rules = {"expect": [ASKED]}
    assert "not UTF-8" in judged("check_thunderbird_filter", file(b"\xff"), asked=rules).found
