"""Mail folders and filters, in the form in which Thunderbird writes them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.evaluators.conftest import Desk

BILL = b"%PDF-1.4 a bill"
SHA256 = hashlib.sha256(BILL).hexdigest()

DRAFT = """From - Mon Apr  7 09:00:00 2025
X-Mozilla-Status: 0000
X-Mozilla-Status2: 00000000
Content-Type: multipart/mixed; boundary="------------LOOcGUX9"
MIME-Version: 1.0
To: Accounts <accounts@school.example>, head@school.example
Subject: Paper bill
From: Front Office <office@school.example>

This is a multi-part message in MIME format.
--------------LOOcGUX9
Content-Type: text/plain; charset=UTF-8; format=flowed
Content-Transfer-Encoding: 7bit

Please pay this bill.
--------------LOOcGUX9
Content-Type: application/pdf; name="bill.pdf"
Content-Disposition: attachment; filename="bill.pdf"
Content-Transfer-Encoding: base64

JVBERi0xLjQgYSBiaWxs

--------------LOOcGUX9--

"""
RULES = """version="9"
logging="no"
name="Absences"
enabled="yes"
type="17"
action="Forward"
actionValue="registry@school.example"
condition="AND (subject,contains,Absence) AND (from,contains,form)"
"""
ASKED = {
    "filter": "Absences",
    "conditions": ["from,contains,form", "subject,contains,Absence"],
    "actions": [["Forward", "registry@school.example"]],
}


def message(subject: str, status: str = "0001") -> str:
    return f"From - Mon Mar  3 09:15:00 2025\nX-Mozilla-Status: {status}\nSubject: {subject}\n\nGood morning.\n\n"


def test_a_folder_has_exactly_these_messages_in_any_order(desk: Desk) -> None:
    desk.put("a", message("One") + message("Two"))
    assert desk.passes("mail_folder", subjects=["Two", "One"])
    assert desk.check("mail_folder", subjects=["One"]).found == "also 'Two'"
    assert desk.check("mail_folder", subjects=["One", "Two", "Two"]).found == "without 'Two'"


def test_a_message_that_was_moved_away_is_gone_before_the_folder_is_compacted(desk: Desk) -> None:
    desk.put("a", message("One", status="0009") + message("Two"))
    assert desk.passes("mail_folder", subjects=["Two"])


def test_a_folder_without_a_file_is_empty(desk: Desk) -> None:
    assert desk.passes("mail_folder", subjects=[])
    assert desk.check("mail_message", subject="One").found == "none in ~/a"


def test_an_encoded_subject_is_read(desk: Desk) -> None:
    desk.put("a", message("=?UTF-8?B?R3LDvMOfZQ==?="))
    assert desk.passes("mail_folder", subjects=["Grüße"])


def test_a_folder_that_cannot_be_read_is_a_finding(desk: Desk) -> None:
    desk.put("a", message("One", status="many"))
    assert "no readable mail folder" in desk.check("mail_folder", subjects=["One"]).found


def test_a_draft_has_its_recipients_without_names_and_in_any_order(desk: Desk) -> None:
    desk.put("a", DRAFT)
    assert desk.passes("mail_message", subject="Paper bill", to=["head@school.example", "Accounts@school.example"])
    missing = desk.check("mail_message", subject="Paper bill", to=["accounts@school.example"])
    assert (missing.score, missing.found) == (0.0, "accounts@school.example, head@school.example")
    assert not desk.passes("mail_message", subject="Paper bill", cc=["head@school.example"])


def test_a_recipient_that_stands_there_twice_is_one(desk: Desk) -> None:
    desk.put("a", DRAFT.replace("head@", "accounts@"))
    assert desk.passes("mail_message", subject="Paper bill", to=["accounts@school.example"])


def test_an_attachment_is_compared_by_name_and_content(desk: Desk) -> None:
    desk.put("a", DRAFT)
    assert desk.passes("mail_message", subject="Paper bill", attachments={"bill.pdf": SHA256})
    other = desk.check("mail_message", subject="Paper bill", attachments={"bill.pdf": "0" * 64})
    assert other.found == "bill.pdf with other content"
    assert not desk.passes("mail_message", subject="Paper bill", attachments={"offer.pdf": SHA256})
    assert not desk.passes("mail_message", subject="Paper bill", attachments={})


def test_two_messages_of_one_subject_are_no_answer(desk: Desk) -> None:
    desk.put("a", DRAFT + DRAFT)
    assert desk.check("mail_message", subject="Paper bill").found == "2 in ~/a"


def test_a_filter_has_just_these_conditions_and_actions(desk: Desk) -> None:
    desk.put("a", RULES)
    assert desk.passes("mail_filter", **ASKED)


def test_the_case_of_a_condition_does_not_matter(desk: Desk) -> None:
    desk.put("a", RULES.replace("contains,Absence", "contains,absence"))
    assert desk.passes("mail_filter", **ASKED)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('enabled="yes"', 'enabled="no"', "switched off"),
        ('type="17"', 'type="16"', "not applied to incoming mail"),
        ('type="17"', 'type="many"', "not applied to incoming mail"),
        ("AND (from,contains,form)", "", "its conditions are"),
        ("AND", "OR", "does not want all"),
        ("registry@", "office@", "its actions are"),
        ('condition="', 'action="Mark read"\ncondition="', "its actions are"),
        ('name="Absences"', 'name="Absence"', "there is 'Absence'"),
        ("version=", RULES + "version=", "2 of that name"),
    ],
)
def test_a_filter_that_differs_is_told(desk: Desk, old: str, new: str, said: str) -> None:
    desk.put("a", RULES.replace(old, new))
    result = desk.check("mail_filter", **ASKED)
    assert result.score == 0.0
    assert said in result.found
