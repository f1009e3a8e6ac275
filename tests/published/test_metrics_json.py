"""Settings and keybindings as VS Code writes them."""

from __future__ import annotations

import pytest

from tests.published.judging import file, judged, score

SETTINGS = {"expected": {"editor.wordWrapColumn": 50}}
COMMENTED = '// mine\n{\n  "editor.wordWrapColumn": 50, // narrow\n}\n'
BINDING = {"key": "ctrl+j", "command": "focus", "when": "terminalFocus"}
BINDINGS = '[{"command": "focus", "key": "ctrl+j", "when": "terminalFocus"}]'


def test_settings_have_the_expected_keys_among_others() -> None:
    assert score("check_json_settings", file('{"a": 1, "editor.wordWrapColumn": 50}'), asked=SETTINGS) == 1.0
    assert score("check_json_settings", file('{"editor.wordWrapColumn": 80}'), asked=SETTINGS) == 0.0
    assert judged("check_json_settings", file("{}"), asked=SETTINGS).found == "no editor.wordWrapColumn"


def test_comments_in_settings_are_read_and_upstream_cannot() -> None:
    assert score("check_json_settings", file(COMMENTED), asked=SETTINGS) == 1.0
    assert score("check_json_settings", file(COMMENTED), asked=SETTINGS, convention="upstream") == 0.0


def test_true_is_not_1_but_for_upstream() -> None:
    rules = {"expected": {"a": True}}
    assert score("check_json_settings", file('{"a": 1}'), asked=rules) == 0.0
    assert score("check_json_settings", file('{"a": 1}'), asked=rules, convention="upstream") == 1.0


def test_a_value_that_is_an_object_is_compared_whole() -> None:
    rules = {"expected": {"files.exclude": {"**/__pycache__": True}}}
    assert score("check_json_settings", file('{"files.exclude": {"**/__pycache__": true}}'), asked=rules) == 1.0
    assert score("check_json_settings", file('{"files.exclude": {"**/__pycache__": true, "a": 1}}'), asked=rules) == 0.0


@pytest.mark.parametrize("broken", ['{"a": ', "[1]", "", "[" * 100_000])
def test_broken_settings_score_nothing(broken: str) -> None:
    assert score("check_json_settings", file(broken), asked=SETTINGS) == 0.0
    assert score("check_json_settings", file(broken), asked=SETTINGS, convention="upstream") == 0.0


def test_a_keybinding_is_one_of_the_list() -> None:
    rules = {"expected": BINDING}
    assert score("check_json_keybindings", file(BINDINGS), asked=rules) == 1.0
    assert score("check_json_keybindings", file(BINDINGS.replace("ctrl+j", "ctrl+k")), asked=rules) == 0.0
    assert score("check_json_keybindings", file('{"key": "ctrl+j"}'), asked=rules) == 0.0


def test_upstream_reads_a_comment_only_in_the_first_line() -> None:
    first, last = f"// mine\n{BINDINGS}", f"{BINDINGS} // mine"
    for text, upstream in ((first, 1.0), (last, 0.0)):
        assert score("check_json_keybindings", file(text), asked={"expected": BINDING}) == 1.0
        got = score("check_json_keybindings", file(text), asked={"expected": BINDING}, convention="upstream")
        assert got == upstream
