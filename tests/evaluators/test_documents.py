"""Checks of the document service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.desktops.guest_types import ServedDocument
from pytest_rogue.errors import GuestFileMissing, TaskError
from pytest_rogue.evaluators.registry import evaluator_for
from pytest_rogue.suite.model import Check
from tests.evaluators.conftest import FolderReader

if TYPE_CHECKING:
    from pathlib import Path


def score(reader: FolderReader, **args: Any) -> float:
    check = Check(evaluator="document_service", args={"folder": "Board", "file": "a.txt"} | args)
    return evaluator_for(check).look(reader).score


@pytest.fixture
def reader(tmp_path: Path) -> FolderReader:
    reader = FolderReader(tmp_path)
    (tmp_path / "same.txt").write_bytes(b"one\r\n")
    (tmp_path / "other.txt").write_bytes(b"two\n")
    reader.served = [
        ServedDocument("Board", "a.txt", b"one\r\n", "team", ("guest",)),
        ServedDocument("Board", "list.txt", b"one  \r\n\r\ntwo", "team"),
        ServedDocument("Public", "b.txt", b"", "team"),
    ]
    return reader


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, 1.0),
        ({"file": "b.txt"}, 0.0),
        ({"folder": "Public", "file": "b.txt"}, 1.0),
        ({"equals": "one\n"}, 1.0),
        ({"equals": "two"}, 0.0),
        ({"file": "list.txt", "lines": ["one", "two"]}, 1.0),
        ({"file": "list.txt", "lines": ["two", "one"]}, 0.0),
        ({"file": "list.txt", "lines": ["one"]}, 0.0),
        ({"same_as": "~/same.txt"}, 1.0),
        ({"same_as": "~/other.txt"}, 0.0),
        ({"shared_with": ["guest"]}, 1.0),
        ({"shared_with": ["guest", "team"]}, 0.0),
        ({"absent": True}, 0.0),
        ({"file": "b.txt", "absent": True}, 1.0),
    ],
    ids=str,
)
def test_a_file_of_the_service_is_looked_at(reader: FolderReader, args: dict[str, Any], expected: float) -> None:
    assert score(reader, **args) == expected


def test_a_desktop_without_the_service_has_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(GuestFileMissing):
        score(FolderReader(tmp_path))


@pytest.mark.parametrize(
    "args",
    [
        {"equals": "a", "same_as": "~/a"},
        {"equals": "a", "lines": ["a"]},
        {"absent": True, "equals": "a"},
        {"absent": True, "lines": []},
        {"same_as": "a"},
    ],
    ids=str,
)
def test_a_question_that_cannot_be_answered_is_told_at_once(reader: FolderReader, args: dict[str, Any]) -> None:
    with pytest.raises(TaskError):
        score(reader, **args)
