"""Evaluators are found by name, and their arguments are validated when a task is loaded."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from pytest_rogue.errors import ConfigError, TaskError
from pytest_rogue.evaluators import registry
from pytest_rogue.evaluators.protocol import Evaluator, Finding, GuestReader
from pytest_rogue.evaluators.registry import evaluator_for, register, validate_check
from pytest_rogue.suite.model import Check


def told(evaluator: str, **args: Any) -> str:
    with pytest.raises(TaskError) as caught:
        validate_check(Check(evaluator=evaluator, args=args))
    return str(caught.value)


@pytest.mark.parametrize(
    ("evaluator", "args", "expected"),
    [
        ("file_txt", {}, "there is no evaluator 'file_txt'; did you mean 'file_text'?"),
        ("file_text", {"equals": "x"}, "file_text: args.path: this key is missing"),
        ("file_text", {"path": "~/a"}, "file_text: args: give equals, contains or excludes"),
        ("file_text", {"path": "~/a", "contains": [""]}, "a part to look for is not empty"),
        ("file_text", {"path": "~/../a", "equals": "x"}, "a path in the desktop has no '..'"),
        ("file_text", {"path": "a", "equals": "x"}, "a path in the desktop begins with / or ~/"),
        ("file_text", {"path": "~/a", "eqals": "x"}, "args.eqals: unknown key; did you mean 'equals'?"),
        ("file_lines", {"path": "~/a", "lines": "x"}, "args.lines: input should be a valid array"),
        ("file_mode", {"path": "~/a", "mode": 644}, "args.mode: input should be a valid string, found 644"),
        ("file_mode", {"path": "~/a", "mode": "rw"}, "args.mode: string should match pattern"),
        ("number_in_file", {"path": "~/a", "equals": "3"}, "args.equals: input should be a valid number"),
        ("gsetting", {"schema": "a b", "key": "x", "equals": "1"}, "args.schema: string should match pattern"),
        ("gsetting", {"schem": "a", "key": "x", "equals": "1"}, "gsetting: args.schema: this key is missing"),
        ("command_output", {"command": []}, "args.command: tuple should have at least 1 item"),
        ("command_output", {"command": ["a\0b"]}, "the words of a command have no NUL character"),
    ],
)
def test_arguments_that_can_never_work_are_told(evaluator: str, args: dict[str, Any], expected: str) -> None:
    assert expected in told(evaluator, **args)


class Always(Evaluator):
    """Passes."""

    name: ClassVar[str] = "always"

    def look(self, reader: GuestReader) -> Finding:
        return Finding(1.0, "nothing", "nothing")


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_EVALUATORS", dict(registry._EVALUATORS))


@pytest.mark.usefixtures("own_registry")
def test_a_users_evaluator_is_found_by_its_name() -> None:
    register(Always)
    register(Always)
    assert isinstance(evaluator_for(Check(evaluator="always")), Always)


@pytest.mark.usefixtures("own_registry")
def test_two_evaluators_cannot_share_a_name() -> None:
    register(Always)
    other = type("Other", (Always,), {})
    with pytest.raises(ConfigError, match="two evaluators are named 'always'"):
        register(other)
