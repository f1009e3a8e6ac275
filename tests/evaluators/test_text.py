"""Checks on plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.evaluators.conftest import Desk


@pytest.mark.parametrize("text", ["one\ntwo", "one\ntwo\n", "one\r\ntwo\r\n", "one\rtwo", "one\ntwo\n\n\n"])
def test_line_ends_do_not_matter(text: str, desk: Desk) -> None:
    desk.put("a", text)
    assert desk.passes("file_text", equals="one\ntwo\n")


@pytest.mark.parametrize("text", ["one\ntwo ", " one\ntwo", "\none\ntwo", "One\ntwo", "one\n\ntwo", "one"])
def test_all_else_in_a_text_matters(text: str, desk: Desk) -> None:
    desk.put("a", text)
    assert not desk.passes("file_text", equals="one\ntwo\n")


def test_an_exact_text_has_its_line_ends(desk: Desk) -> None:
    desk.put("a", "one\r\n")
    assert desk.passes("file_text", equals="one\r\n", exact=True)
    assert not desk.passes("file_text", equals="one\n", exact=True)


def test_a_text_is_told_by_its_first_difference(desk: Desk) -> None:
    desk.put("a", "one\ntow\nthree")
    result = desk.check("file_text", equals="one\ntwo\nthree")
    assert (result.expected, result.found) == ("line 2: 'two'", "line 2: 'tow'")


def test_every_part_has_to_be_contained(desk: Desk) -> None:
    desk.put("a", "the quick fox")
    assert desk.passes("file_text", contains=["quick", "fox"])
    assert not desk.passes("file_text", contains=["quick", "dog"])


def test_no_part_may_be_there_that_is_excluded(desk: Desk) -> None:
    desk.put("a", "one\ntwo two")
    assert desk.passes("file_text", excludes=["three"])
    assert desk.check("file_text", excludes=["two"]).found == "2 times, first on line 2"


def test_bytes_that_are_not_utf8_are_reported_as_found(desk: Desk) -> None:
    desk.put("a", b"caf\xe9")
    result = desk.check("file_text", equals="café")
    assert (result.score, result.found) == (0.0, "4 bytes that are not UTF-8: b'caf\\xe9'")


def test_lines_are_compared_in_sequence(desk: Desk) -> None:
    desk.put("a", "one  \n\ntwo\n")
    assert desk.passes("file_lines", lines=["one", "two"])
    assert not desk.passes("file_lines", lines=["two", "one"])


def test_lines_in_any_order_are_counted(desk: Desk) -> None:
    desk.put("a", "two\none\none\n")
    assert desk.passes("file_lines", lines=["one", "two", "one"], order="any")
    assert desk.check("file_lines", lines=["one", "two"], order="any").found == "also 'one'"
    assert desk.check("file_lines", lines=["one", "one", "two", "six"], order="any").found == "without 'six'"


@pytest.mark.parametrize(
    "text", ["1234.5", " 1,234.50\n", "Total: EUR 1,234.50", "€1234.50.", "1234.5 (1234.50)", "$1,234.50!"]
)
def test_a_number_may_have_words_and_commas_around_it(text: str, desk: Desk) -> None:
    desk.put("a", text)
    assert desk.passes("number_in_file", equals=1234.5)


@pytest.mark.parametrize("text", ["", "none", "1234.6", "-1234.5", "1234.5 or 1234.6", "12345", "1.234,50", "1,2345"])
def test_another_number_or_two_numbers_are_wrong(text: str, desk: Desk) -> None:
    desk.put("a", text)
    assert not desk.passes("number_in_file", equals=1234.5)


def test_a_number_may_be_off_by_the_tolerance(desk: Desk) -> None:
    desk.put("a", "10.04")
    assert desk.passes("number_in_file", equals=10, tolerance=0.05)
    assert not desk.passes("number_in_file", equals=10, tolerance=0.03)
