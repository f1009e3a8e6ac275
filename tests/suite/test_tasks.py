"""What a task file means, and what its author is told about a mistake."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.errors import TaskError
from pytest_rogue.evaluators.registry import validate_check
from pytest_rogue.suite.model import PutFile
from pytest_rogue.suite.tasks import load_task
from tests.suite.small_suite import TASK, Suite

if TYPE_CHECKING:
    from pathlib import Path


def told(path: Path) -> str:
    """Return what the author is told, without the folder."""
    with pytest.raises(TaskError) as caught:
        load_task(path, validate_check=validate_check)
    return str(caught.value).replace(f"{path.parent.parent}/", "")


def test_a_task_has_the_name_of_its_file(suite: Suite) -> None:
    assert load_task(suite.task("tidy")).id == "tidy"


def test_a_task_is_read_again_only_when_its_file_has_changed(suite: Suite) -> None:
    path = suite.task("alpha")
    first = load_task(path)
    assert load_task(path) is first
    path.write_text(TASK.replace("Write", "Put"))
    os.utime(path, ns=(1, 1))
    assert load_task(path).instruction.startswith("Put")


def test_an_asset_is_a_file_below_the_assets(suite: Suite) -> None:
    suite.asset("a.bin", b"\0")
    task = load_task(suite.task("alpha", TASK.replace('content = "to do"', 'asset = "a.bin"')))
    step = task.setup[0]
    assert isinstance(step, PutFile)
    assert step.asset == "a.bin"


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/../../secret", "", "..\\\\secret", "a\\u0000"])
def test_an_asset_cannot_be_outside_the_assets(name: str, suite: Suite) -> None:
    (suite.folder / "secret").write_text("secret")
    message = told(suite.task("alpha", TASK.replace('content = "to do"', f'asset = "{name}"')))
    assert message == "tasks/alpha.toml:8: setup.0.asset: an asset is a relative path that stays below assets/"


def test_an_asset_that_is_a_link_out_of_the_assets_is_refused(suite: Suite) -> None:
    (suite.folder / "secret").write_text("secret")
    suite.asset("a.bin", b"").unlink()
    (suite.folder / "assets/a.bin").symlink_to(suite.folder / "secret")
    message = told(suite.task("alpha", TASK.replace('content = "to do"', 'asset = "a.bin"')))
    assert message.startswith("tasks/alpha.toml:8: setup.0.asset: asset 'a.bin' leads out of the folder")


def test_a_missing_asset_is_told_with_its_line(suite: Suite) -> None:
    message = told(suite.task("alpha", TASK.replace('content = "to do"', 'asset = "a.bin"')))
    assert message.startswith("tasks/alpha.toml:8: setup.0.asset: asset 'a.bin' is not in the folder")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('tags = ["text"]', 'tags = "text"', "2: tags: input should be a valid array"),
        ("solution", "solutions", "3: solutions: unknown key; did you mean 'solution'?"),
        ('kind = "file"', 'kind = "fiel"', "5: setup.0: input tag 'fiel'"),
        ('path = "~/a.txt"', 'path = "a.txt"', "7: setup.0.path: a path in the desktop begins with / or ~/"),
        ('path = "~/a.txt"', 'path = "~/../b"', "7: setup.0.path: a path in the desktop has no '..'"),
        ('content = "to do"', "", "5: setup.0: give either content or asset"),
        ('content = "to do"', 'content = "x"\nmod = 7', "9: setup.0.mod: unknown key; did you mean 'mode'?"),
        ('content = "to do"', 'content = "x"\nmode = 99999', "9: setup.0.mode: input should be less than or equal"),
        ('evaluator = "file_text"', "", "10: checks.0.evaluator: this key is missing"),
        ("file_text", "file_txt", "10: checks.0: there is no evaluator 'file_txt'; did you mean 'file_text'?"),
        ("equals", "equal", "10: checks.0: file_text: args.equal: unknown key; did you mean 'equals'?"),
        ('equals = "done"', "equals = 3", "10: checks.0: file_text: args.equals: input should be a valid string"),
        ("args = ", "weight = 0\nargs = ", "12: checks.0.weight: input should be greater than 0, found 0"),
        ("instruction =", 'id = "other"\ninstruction =', "1: id: the id is the name of the file"),
        ('solution = ["print(1)"]', "", "1: a task needs checks and a solution, or impossible = true"),
        ("tags =", "impossible = true\ntags =", "1: an impossible task has neither checks nor a solution"),
        ('"text"]', '"text"', "3: not valid TOML"),
        ('kind = "file"', 'kind = "file', "6: not valid TOML"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_field(old: str, new: str, expected: str, suite: Suite) -> None:
    message = told(suite.task("alpha", TASK.replace(old, new)))
    assert message.startswith(f"tasks/alpha.toml:{expected}")


def test_text_that_looks_like_a_table_does_not_shift_the_lines(suite: Suite) -> None:
    text = TASK.replace('content = "to do"', 'content = """\n[[checks]]\nevaluator = 1\n"""')
    message = told(suite.task("alpha", text.replace("file_text", "file_txt")))
    assert message.startswith("tasks/alpha.toml:13: checks.0: there is no evaluator")


def test_a_name_that_is_no_id_is_refused(suite: Suite) -> None:
    assert "an id has letters, digits" in told(suite.task("two words"))


def test_a_missing_task_file_is_told(suite: Suite) -> None:
    assert told(suite.folder / "tasks/none.toml") == "tasks/none.toml: there is no such task file"


def test_a_path_with_a_nul_character_is_told(suite: Suite) -> None:
    assert "there is no such task file" in told(suite.folder / "tasks/a\0b.toml")
