"""Metrics on VS Code's settings and keybindings, which are JSON with comments."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import JsonValue  # noqa: TC002 - pydantic reads it

from pytest_rogue.evaluators.jsonc import parse_jsonc, same_json
from pytest_rogue.evaluators.protocol import Finding
from pytest_rogue.published.metrics.comparison import Comparison, NothingComparable, Rules, file_of, shown, text_of

if TYPE_CHECKING:
    from pytest_rogue.published.protocol import Convention


class _Object(Rules):
    expected: dict[str, JsonValue]


class CheckJsonSettings(Comparison):
    """Each expected key stands in the file with its value, and that whole.

    Upstream cannot read comments or a last comma, which VS Code's own files have, and holds true and 1 equal.
    """

    func: ClassVar[str] = "check_json_settings"
    rules: ClassVar[type[Rules]] = _Object

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:
        """Parse and compare key by key."""
        wanted = _Object.of(expected).expected
        parse, same = (json.loads, _python_equal) if convention == "upstream" else (parse_jsonc, same_json)
        settings = _parsed(text_of(file_of(result)), parse)
        if not isinstance(settings, dict):
            return Finding(0.0, "an object of settings", shown(settings))
        for key, value in wanted.items():
            if key not in settings:
                return Finding(0.0, f"{key} = {shown(value)}", f"no {key}")
            if not same(settings[key], value):
                return Finding(0.0, f"{key} = {shown(value)}", shown(settings[key]))
        return Finding(1.0, "these settings", "they")


class CheckJsonKeybindings(Comparison):
    """The expected keybinding is one of the list in the file.

    Upstream reads a comment only in the first line.
    """

    func: ClassVar[str] = "check_json_keybindings"
    rules: ClassVar[type[Rules]] = _Object

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:
        """Parse and look the keybinding up."""
        wanted = _Object.of(expected).expected
        bindings = _parsed(text_of(file_of(result)), _below_a_comment if convention == "upstream" else parse_jsonc)
        found = isinstance(bindings, list) and any(same_json(binding, wanted) for binding in bindings)
        return Finding.of(found, expected=f"a list with {shown(wanted)}", found=shown(bindings))


def _parsed(text: str, parse: Any) -> Any:
    try:
        return parse(text)
    except (ValueError, RecursionError) as error:
        raise NothingComparable(f"no JSON: {error}") from error


def _below_a_comment(text: str) -> Any:
    try:
        if isinstance(whole := json.loads(text), list):
            return whole
    except ValueError:
        pass
    return json.loads(text.partition("\n")[2])


def _python_equal(one: Any, other: Any) -> bool:
    return bool(one == other)
