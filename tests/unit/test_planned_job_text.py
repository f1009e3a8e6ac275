"""The text of a job reaches the evidence, whichever way `at` and `crontab` are given it."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.guest.power_command import INPUT_LIMIT, read_job

if TYPE_CHECKING:
    from pathlib import Path

GIVEN = "the input"
WRITTEN = "shutdown -c\n"


@pytest.fixture(autouse=True)
def _standing_in_a_folder_with_a_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "job").write_text(WRITTEN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO(GIVEN))


@pytest.mark.parametrize("call", ["crontab job", "crontab -u user job", "at -f job now", "at now + 1 hour -fjob"])
def test_a_named_file_is_read(call: str) -> None:
    program, *arguments = call.split()
    assert read_job(program, arguments) == WRITTEN


@pytest.mark.parametrize("call", ["crontab", "crontab -", "crontab -u user -", "at now", "at -m now", "at --unknown"])
def test_without_a_file_the_input_is_read(call: str) -> None:
    program, *arguments = call.split()
    assert read_job(program, arguments) == GIVEN


@pytest.mark.parametrize("call", ["crontab missing", "at -f missing now", "shutdown job"])
def test_there_may_be_no_job(call: str) -> None:
    program, *arguments = call.split()
    assert not read_job(program, arguments)


def test_a_long_file_is_cut(tmp_path: Path) -> None:
    (tmp_path / "job").write_text("x" * (INPUT_LIMIT + 1))
    assert len(read_job("crontab", ["job"])) == INPUT_LIMIT
