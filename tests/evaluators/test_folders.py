"""Checks on what lies in a folder."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.evaluators.conftest import Desk


def test_a_file_is_there_or_not(desk: Desk) -> None:
    desk.put("a", "")
    assert desk.passes("file_exists")
    assert not desk.passes("file_exists", path="~/b")
    assert not desk.passes("file_exists", path="~/no/folder/b")


def test_a_folder_is_no_file(desk: Desk) -> None:
    desk.put("a/b", "")
    assert desk.check("file_exists").found == "folder"


def test_nothing_there_is_absent_with_or_without_its_folder(desk: Desk) -> None:
    assert desk.passes("file_absent")
    assert desk.passes("file_absent", path="~/no/folder/b")


def test_a_file_or_folder_is_not_absent(desk: Desk) -> None:
    desk.put("a/b", "")
    assert not desk.passes("file_absent")
    assert not desk.passes("file_absent", path="~/a/b")


def test_a_mode_is_compared_as_octal_digits(desk: Desk) -> None:
    desk.put("a", "", mode=0o600)
    assert desk.passes("file_mode", mode="600")
    assert desk.passes("file_mode", mode="0600")
    result = desk.check("file_mode", mode="644")
    assert (result.score, result.expected, result.found) == (0.0, "mode 0644", "mode 0600")


def test_the_mode_of_no_file_is_wrong(desk: Desk) -> None:
    assert desk.check("file_mode", mode="644").found == "no such file"


def test_a_tree_has_exactly_its_files(desk: Desk) -> None:
    desk.put("a/one", "")
    desk.put("a/b/two", "")
    assert desk.passes("folder_tree", files=["one", "b/two"])
    assert desk.check("folder_tree", files=["one"]).found == "also b/two"
    assert desk.check("folder_tree", files=["one", "b/two", "three"]).found == "without three"


def test_empty_folders_do_not_count_in_a_tree(desk: Desk) -> None:
    desk.put("a/one", "")
    (desk.home / "a/empty").mkdir()
    assert desk.passes("folder_tree", files=["one"])


def test_a_hidden_file_counts_in_a_tree(desk: Desk) -> None:
    desk.put("a/.one", "")
    assert not desk.passes("folder_tree", files=[])


def test_a_tree_may_say_what_its_files_hold(desk: Desk) -> None:
    desk.put("a/one", "text\r\n")
    digest = hashlib.sha256(b"text\r\n").hexdigest()
    assert desk.passes("folder_tree", files=[], texts={"one": "text"}, sha256={"one": digest})
    assert not desk.passes("folder_tree", files=[], texts={"one": "test"})
    assert not desk.passes("folder_tree", files=[], sha256={"one": digest[::-1]})


def test_no_folder_is_no_tree(desk: Desk) -> None:
    assert desk.check("folder_tree", files=[]).found == "no such file"
