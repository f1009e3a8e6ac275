"""What stands in the fields of a form that is on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.evaluators.conftest import Desk

TREE = """<desktop-frame xmlns:st="https://accessibility.ubuntu.example.org/ns/state">
<application name="Thunderbird"><frame>
  <entry name="Full name" st:showing="true">Nils Overbeck</entry>
  <entry name="Password" st:showing="true"></entry>
  <entry name="Search">hidden</entry>
</frame></application>
<application name="Editor"><entry name="Search" st:showing="true">elsewhere</entry></application>
</desktop-frame>"""


def test_a_field_holds_this_text(desk: Desk) -> None:
    desk.reader.tree = TREE
    assert desk.passes("screen_entries", application="Thunderbird", entries={"Full name": "Nils Overbeck"})
    result = desk.check("screen_entries", application="Thunderbird", entries={"Full name": "Nils", "Password": ""})
    assert (result.score, result.found) == (0.0, "Full name is 'Nils Overbeck'")


def test_a_field_that_is_hidden_or_of_another_application_does_not_count(desk: Desk) -> None:
    desk.reader.tree = TREE
    result = desk.check("screen_entries", application="Thunderbird", entries={"Search": "elsewhere"})
    assert result.found == "Search is not on the screen"


def test_two_fields_of_one_label_are_no_answer(desk: Desk) -> None:
    desk.reader.tree = TREE.replace('name="Password"', 'name="Full name"')
    result = desk.check("screen_entries", application="Thunderbird", entries={"Full name": "Nils Overbeck"})
    assert result.found == "Full name is 'Nils Overbeck' and ''"
