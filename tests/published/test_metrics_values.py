"""Metrics on a text or a list: right ones, wrong ones that look alike, and what upstream made of them."""

from __future__ import annotations

import pytest

from pytest_rogue.errors import InfraError
from tests.published.judging import file, gold, judged, score


def test_a_text_matches_to_its_last_line_end() -> None:
    assert score("exact_match", "true\n", asked={"expected": "true\n"}) == 1.0
    assert score("exact_match", "true", asked={"expected": "true\n"}) == 0.0


def test_a_text_is_one_of_those_expected() -> None:
    assert score("match_in_list", "system", asked={"expected": ["light", "system"]}) == 1.0
    assert score("match_in_list", "dark", asked={"expected": ["light", "system"]}) == 0.0


def test_an_entry_of_a_list_matches_as_a_whole() -> None:
    assert score("is_in_list", ["/home/a", "/home/b"], asked={"expected": "/home/b"}) == 1.0
    assert score("is_in_list", ["/home/bc"], asked={"expected": "/home/b"}) == 0.0


def test_all_parts_have_to_be_there_and_none_of_the_others() -> None:
    rules = {"include": ["killed", "gone"], "exclude": ["not killed"]}
    assert score("check_include_exclude", "killed and gone", asked=rules) == 1.0
    assert score("check_include_exclude", "killed", asked=rules) == 0.0
    assert score("check_include_exclude", "not killed and gone", asked=rules) == 0.0


def test_a_listed_name_is_a_line_and_upstream_takes_a_part_of_one() -> None:
    rules = {"type": "contain", "expected": "test.py"}
    assert score("is_extension_installed", "notes.txt\ntest.py\n", asked=rules) == 1.0
    assert score("is_extension_installed", "mytest.py\n", asked=rules) == 0.0
    assert score("is_extension_installed", "mytest.py\n", asked=rules, convention="upstream") == 1.0


def test_a_name_that_must_not_be_listed() -> None:
    rules = {"type": "not_contain", "expected": "test.py"}
    assert score("is_extension_installed", "notes.txt\n", asked=rules) == 1.0
    assert score("is_extension_installed", "test.py\n", asked=rules) == 0.0


def test_each_pattern_is_found_in_some_line() -> None:
    rules = {"expect": ["^name: .*s$", "theme"]}
    assert score("check_list", file("name: Orchis\ntheme\n"), asked=rules) == 1.0
    assert score("check_list", file("name:\nOrchis theme\n"), asked=rules) == 0.0


def test_no_line_may_have_an_unexpected_pattern() -> None:
    assert score("check_list", file(""), asked={"unexpect": [".+"]}) == 1.0
    assert judged("check_list", file("< a\n"), asked={"unexpect": [".+"]}).found == "'< a\\n'"


def test_text_files_are_compared_whatever_their_line_ends() -> None:
    assert score("compare_text_file", file("a\r\nb\n"), gold("a\nb\n")) == 1.0
    told = judged("compare_text_file", file("a\nc\n"), gold("a\nb\n"))
    assert (told.score, told.expected, told.found) == (0.0, "line 2: 'b'", "line 2: 'c'")
    assert score("compare_text_file", file("a\nb"), gold("a\nb\n")) == 0.0


def test_blanks_and_case_are_ignored_where_that_is_asked_for() -> None:
    assert score("compare_text_file", file(" A\tb\n"), gold("a b"), ignore_blanks=True, ignore_case=True) == 1.0
    assert score("compare_text_file", file(" A\tb\n"), gold("a b"), ignore_blanks=True) == 0.0


def test_what_is_no_text_scores_nothing_but_is_a_fault_of_the_tasks_own_file() -> None:
    assert "not UTF-8" in judged("compare_text_file", file(b"\xff\xfe"), gold("a")).found
    with pytest.raises(InfraError, match="downloaded again"):
        score("compare_text_file", file("a"), gold(b"\xff\xfe"))


def test_a_missing_file_of_the_tasks_own_is_a_fault() -> None:
    with pytest.raises(InfraError, match="brings 0"):
        score("compare_text_file", file("a"), [])


@pytest.mark.parametrize("found", ["project", "/home/user/project", "project (Workspace)\n"])
def test_a_configuration_holds_the_expected_word(found: str) -> None:
    assert score("compare_config", file(found), asked={"expected": "project"}) == 1.0


@pytest.mark.parametrize("found", ["projects", "my-project", "project2"])
def test_a_part_of_a_word_is_another_one_and_upstream_takes_it(found: str) -> None:
    assert score("compare_config", file(found), asked={"expected": "project"}) == 0.0
    assert score("compare_config", file(found), asked={"expected": "project"}, convention="upstream") == 1.0


def test_a_configuration_of_json_has_at_least_the_expected_keys() -> None:
    rules = {"expected": '{"a": {"b": 1}}'}
    assert score("compare_config", file('{"c": 2, "a": {"d": 3, "b": 1}}'), asked=rules) == 1.0
    assert score("compare_config", file('{"a": {"b": true}}'), asked=rules) == 0.0
