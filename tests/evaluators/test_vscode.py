"""Checks on VS Code's files, in the forms in which the editor and people write them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.evaluators.jsonc import parse_jsonc

if TYPE_CHECKING:
    from tests.evaluators.conftest import Desk

SETTINGS = ".config/Code/User/settings.json"
KEYS = ".config/Code/User/keybindings.json"
EXTENSIONS = ".vscode/extensions/extensions.json"


# --- JSON with comments --------------------


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("", {}),
        ("// nothing but words\n", {}),
        ('{"a": 1, // one\n "b": [2, /* two */ 3,],}', {"a": 1, "b": [2, 3]}),
        (r'{"url": "http://x/*", "quoted": "\"//,]"}', {"url": "http://x/*", "quoted": '"//,]'}),
    ],
)
def test_comments_and_trailing_commas_are_left_out(text: str, content: object) -> None:
    assert parse_jsonc(text) == content


@pytest.mark.parametrize("text", ['{"a": 1', '{"a": "b', "/* open", '{"a": ,}', '"\\'])
def test_what_is_not_closed_is_no_json(text: str) -> None:
    if text == "/* open":
        assert parse_jsonc(text) == {}
    else:
        with pytest.raises(ValueError, match=r"line \d+ column \d+"):
            parse_jsonc(text)


# --- settings --------------------


def setting(desk: Desk, text: str, **args: object) -> float | None:
    desk.put(SETTINGS, text)
    return desk.check("vscode_setting", path=f"~/{SETTINGS}", **args).score


def test_a_setting_is_compared_with_its_type(desk: Desk) -> None:
    assert setting(desk, '{"editor.tabSize": 4, /* wide */}', setting="editor.tabSize", equals=4) == 1.0
    assert setting(desk, '{"editor.tabSize": "4"}', setting="editor.tabSize", equals=4) == 0.0
    assert setting(desk, '{"files.trim": 1}', setting="files.trim", equals=True) == 0.0


def test_the_order_in_which_an_object_is_written_does_not_matter(desk: Desk) -> None:
    text = '{"a": {"one": "none", "two": "warning"}}'
    assert setting(desk, text, setting="a", equals={"two": "warning", "one": "none"}) == 1.0


def test_all_other_settings_may_have_to_be_these(desk: Desk) -> None:
    text = '{"editor.tabSize": 4, "editor.rulers": [1]}'
    assert setting(desk, text, setting="editor.tabSize", equals=4, others={"editor.rulers": [1]}) == 1.0
    assert setting(desk, text, setting="editor.tabSize", equals=4, others={"editor.rulers": [True]}) == 0.0
    assert setting(desk, text, setting="editor.tabSize", equals=4, others={}) == 0.0
    assert setting(desk, text, setting="editor.tabSize", equals=2, others={"editor.rulers": [1]}) == 0.0


def test_a_setting_that_is_not_there_is_not_the_default(desk: Desk) -> None:
    assert setting(desk, '{"editor.tabsize": 4}', setting="editor.tabSize", equals=4) == 0.0


def test_one_of_several_keys_of_a_setting_has_the_value(desk: Desk) -> None:
    excludes = {"setting": "files.exclude", "item": ["**/build", "**/build/"], "equals": True}
    assert setting(desk, '{"files.exclude": {"**/.git": true, "**/build/": true}}', **excludes) == 1.0
    assert setting(desk, '{"files.exclude": {"**/build": false}}', **excludes) == 0.0
    assert setting(desk, '{"search.exclude": {"**/build": true}}', **excludes) == 0.0


@pytest.mark.parametrize("text", ["{", "[]", '{"files.exclude": 5}', "[" * 100_000])
def test_settings_that_the_editor_could_not_have_written_are_a_finding(desk: Desk, text: str) -> None:
    assert setting(desk, text, setting="files.exclude", item=["**/build"], equals=True) == 0.0


# --- keybindings --------------------


def keybinding(desk: Desk, *rules: dict[str, str], **args: object) -> float | None:
    desk.put(KEYS, json.dumps(rules))
    return desk.check("vscode_keybinding", path=f"~/{KEYS}", key="ctrl+alt+j", command="focus.editor", **args).score


RULE = {"key": "alt+Ctrl+J", "command": "focus.editor", "when": "terminalFocus && !inDebugMode"}


def test_a_key_is_the_same_in_any_order_of_its_parts(desk: Desk) -> None:
    assert keybinding(desk, RULE) == 1.0
    assert keybinding(desk, RULE | {"key": "ctrl+j"}) == 0.0
    assert keybinding(desk, RULE | {"key": "ctrl+alt+j ctrl+j"}) == 0.0


def test_a_condition_has_to_be_among_those_of_the_rule(desk: Desk) -> None:
    assert keybinding(desk, RULE, when="terminalFocus") == 1.0
    assert keybinding(desk, RULE, when="editorFocus") == 0.0
    assert keybinding(desk, {"key": "ctrl+alt+j", "command": "focus.editor"}, when="terminalFocus") == 0.0


def test_a_removed_key_has_no_other_in_its_place(desk: Desk) -> None:
    removed = {"key": "ctrl+alt+j", "command": "-focus.editor", "when": "panelFocus"}
    moved = {"key": "ctrl+k", "command": "focus.editor"}
    assert keybinding(desk, removed, removed=True, when="panelFocus") == 1.0
    assert keybinding(desk, removed, removed=True, when="editorFocus") == 0.0
    assert keybinding(desk, removed, moved, removed=True, when="panelFocus") == 0.0
    assert keybinding(desk, removed=True, when="panelFocus") == 0.0


def test_all_other_rules_may_have_to_be_these(desk: Desk) -> None:
    other = {"key": "ctrl+k", "command": "open.terminal"}
    unconditional = {"key": "ctrl+alt+j", "command": "focus.editor"}
    assert keybinding(desk, other, RULE, when="terminalFocus", others=[other]) == 1.0
    assert keybinding(desk, RULE, when="terminalFocus", others=[other]) == 0.0
    assert keybinding(desk, other, RULE, unconditional, when="terminalFocus", others=[other]) == 0.0
    assert keybinding(desk, other, when="terminalFocus", others=[other]) == 0.0


# --- extensions --------------------


def installed(desk: Desk, **args: object) -> float | None:
    entry = {
        "identifier": {"id": "Millbrook.Rain-Tables"},
        "version": "1.2.0",
        "relativeLocation": "millbrook.rain-tables",
    }
    desk.put(EXTENSIONS, json.dumps([entry]))
    return desk.check("vscode_extension", path=f"~/{EXTENSIONS}", **args).score


def test_an_extension_is_known_by_its_id_and_where_asked_by_its_version(desk: Desk) -> None:
    assert installed(desk, id="millbrook.rain-tables") == 1.0
    assert installed(desk, id="millbrook.rain-tables", version="1.2.0") == 1.0
    assert installed(desk, id="millbrook.rain-tables", version="0.8.0") == 0.0
    assert installed(desk, id="millbrook.minutes") == 0.0


def test_an_extension_may_have_to_be_gone(desk: Desk) -> None:
    assert installed(desk, id="millbrook.minutes", installed=False) == 1.0
    assert installed(desk, id="millbrook.rain-tables", installed=False) == 0.0


def test_all_other_extensions_may_have_to_be_these(desk: Desk) -> None:
    assert installed(desk, id="millbrook.rain-tables", others=[]) == 1.0
    assert installed(desk, id="millbrook.rain-tables", others=["millbrook.minutes"]) == 0.0
    assert installed(desk, id="millbrook.minutes", installed=False, others=["millbrook.rain-tables"]) == 1.0
    assert installed(desk, id="millbrook.minutes", installed=False, others=[]) == 0.0


# --- workspaces --------------------


def workspace(desk: Desk, *folders: dict[str, str]) -> float | None:
    desk.put("Documents/field.code-workspace", json.dumps({"folders": folders, "settings": {}}))
    wanted = ["~/Projects/gauges", "/srv/charts"]
    return desk.check("vscode_workspace", path="~/Documents/field.code-workspace", folders=wanted).score


def test_folders_of_a_workspace_are_found_from_its_place_and_by_uri(desk: Desk) -> None:
    charts = {"uri": "vscode-remote://127.0.0.1:13337/srv/charts", "name": "Charts"}
    assert workspace(desk, charts, {"path": "../Projects/gauges/"}) == 1.0
    assert workspace(desk, charts, {"path": "gauges"}) == 0.0


def test_a_workspace_has_these_folders_and_no_others(desk: Desk) -> None:
    both = ({"path": "/home/user/Projects/gauges"}, {"path": "/srv/charts"})
    assert workspace(desk, *both) == 1.0
    assert workspace(desk, both[0]) == 0.0
    assert workspace(desk, *both, {"path": "/srv"}) == 0.0
