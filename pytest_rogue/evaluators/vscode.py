"""Checks on VS Code: its user settings, keybindings, extensions, and saved workspaces.

All of them read the files in which the editor keeps these; what stands only in one window is not looked at.
"""

from __future__ import annotations

import json
import posixpath
from abc import abstractmethod
from typing import Any, ClassVar
from urllib.parse import unquote, urlsplit

from pydantic import Field

from pytest_rogue.evaluators.jsonc import parse_jsonc, same_json
from pytest_rogue.evaluators.protocol import Evaluator, Finding, GuestReader
from pytest_rogue.evaluators.reading import NotTextError, read_text
from pytest_rogue.suite.model import HOME, GuestPath


class _EditorFile(Evaluator):
    """One of the editor's files, which has to say something; one that it could not have written says nothing.

    `others`, where a kind of check has it, is what the file says beside that, and exactly that: so one check sees the
    change, and that nothing else was changed.
    """

    path: GuestPath

    def look(self, reader: GuestReader) -> Finding:
        """Parse and compare."""
        expected = self._expected()
        try:
            right, found = self._compare(parse_jsonc(read_text(reader, self.path)))
        except (NotTextError, ValueError, RecursionError) as error:
            return Finding(0.0, expected, f"{self.path} is not as VS Code writes it: {error}")
        return Finding.of(right, expected=expected, found=found)

    @abstractmethod
    def _expected(self) -> str:
        """Return in words what the file has to say."""

    @abstractmethod
    def _compare(self, content: Any) -> tuple[bool, str]:
        """Return whether it says so, and what it says.

        Raises:
            ValueError: the content is none of the editor's.
        """


class VscodeSetting(_EditorFile):
    """The value of a setting for all projects; values are compared with their type.

    With `item`, the setting is an object, and one of these keys has the value in it: `**/build` and `**/build/` mean
    the same to `files.exclude`. `others` are the settings beside this one, all of them.
    """

    name: ClassVar[str] = "vscode_setting"

    setting: str
    equals: Any
    item: tuple[str, ...] = ()
    others: dict[str, Any] | None = None
    path: GuestPath = "~/.config/Code/User/settings.json"

    def _expected(self) -> str:
        wanted = f"{' '.join((self.setting, ' or '.join(self.item))).rstrip()} = {json.dumps(self.equals)}"
        return wanted + _beside(self.others)

    def _compare(self, content: Any) -> tuple[bool, str]:
        settings = _object(content)
        if self.setting not in settings:
            return False, f"{self.setting} is not set"
        value = settings[self.setting]
        candidates = [_object(value).get(key) for key in self.item] if self.item else [value]
        right = any(same_json(candidate, self.equals) for candidate in candidates)
        if self.others is None:
            return right, json.dumps(value)
        others = {name: other for name, other in settings.items() if name != self.setting}
        return right and same_json(others, self.others), json.dumps(value) + _beside(others)


class VscodeKeybinding(_EditorFile):
    """A key of the user's own for a command; with `removed`, a key that the command no longer has, and no other.

    `when` is a condition that the rule must have, alone or joined to others by `&&`. Of a removal it is the condition
    of the rule that is taken away, which may be left out. `others` are the rules that do not say so, in their order.
    """

    name: ClassVar[str] = "vscode_keybinding"

    key: str
    command: str
    when: str = ""
    removed: bool = False
    others: tuple[dict[str, Any], ...] | None = None
    path: GuestPath = "~/.config/Code/User/keybindings.json"

    def _expected(self) -> str:
        condition = f" when {self.when}" if self.when else ""
        return f"{self.key} {'no longer ' if self.removed else ''}runs {self.command}{condition}{_beside(self.others)}"

    def _compare(self, content: Any) -> tuple[bool, str]:
        rules = [_object(rule) for rule in _list(content)]
        says = self._removes if self.removed else self._adds
        others = [rule for rule in rules if not says(rule)]
        right = len(others) < len(rules) and (self.others is None or same_json(others, list(self.others)))
        elsewhere = self.removed and any(rule.get("command") == self.command for rule in rules)
        return right and not elsewhere, json.dumps(rules)

    def _adds(self, rule: dict[str, Any]) -> bool:
        conditions = [part.strip() for part in str(rule.get("when", "")).split("&&")]
        return (
            self._has_key(rule) and rule.get("command") == self.command and (not self.when or self.when in conditions)
        )

    def _removes(self, rule: dict[str, Any]) -> bool:
        return (
            self._has_key(rule)
            and rule.get("command") == f"-{self.command}"
            and rule.get("when", self.when) == self.when
        )

    def _has_key(self, rule: dict[str, Any]) -> bool:
        return _chords(str(rule.get("key", ""))) == _chords(self.key)


class VscodeExtension(_EditorFile):
    """An extension is installed, in any version or in this one; with `installed = false`, it is not.

    `others` are the ids of the extensions that are installed beside it, all of them.
    """

    name: ClassVar[str] = "vscode_extension"

    id: str = Field(pattern=r"^[a-z0-9-]+\.[a-z0-9-]+$")
    version: str | None = None
    installed: bool = True
    others: tuple[str, ...] | None = None
    path: GuestPath = "~/.vscode/extensions/extensions.json"

    def _expected(self) -> str:
        wanted = f"{' '.join((self.id, self.version or '')).rstrip()} {'is' if self.installed else 'is not'} installed"
        return wanted + _beside(self.others)

    def _compare(self, content: Any) -> tuple[bool, str]:
        entries = [_object(entry) for entry in _list(content)]
        versions = {str(_object(entry.get("identifier")).get("id")).lower(): entry.get("version") for entry in entries}
        there = self.id in versions and self.version in {None, versions[self.id]}
        listed = ", ".join(f"{extension} {version}" for extension, version in sorted(versions.items()))
        alone = self.others is None or versions.keys() - {self.id} == set(self.others)
        return there is self.installed and alone, listed or "no extensions"


class VscodeWorkspace(_EditorFile):
    """A saved workspace has exactly these folders, in any order."""

    name: ClassVar[str] = "vscode_workspace"

    folders: tuple[GuestPath, ...] = Field(min_length=1)

    def _expected(self) -> str:
        return f"a workspace of {', '.join(map(_absolute, self.folders))}"

    def _compare(self, content: Any) -> tuple[bool, str]:
        found = [self._folder(_object(entry)) for entry in _list(_object(content).get("folders"))]
        return sorted(found) == sorted(map(_absolute, self.folders)), ", ".join(found) or "no folders"

    def _folder(self, entry: dict[str, Any]) -> str:
        """Return the path of a folder, which is told by a URI, or from the place of the workspace on."""
        if "uri" in entry:
            return posixpath.normpath(unquote(urlsplit(str(entry["uri"])).path))
        return posixpath.normpath(posixpath.join(posixpath.dirname(_absolute(self.path)), str(entry.get("path"))))


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{json.dumps(value)[:80]} stands where an object belongs")  # noqa: TRY004 - a wrong content
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{json.dumps(value)[:80]} stands where a list belongs")  # noqa: TRY004 - a wrong content
    return value


def _beside(others: Any) -> str:
    return "" if others is None else f", beside it {json.dumps(others)}"


def _chords(key: str) -> list[frozenset[str]]:
    """Return the keys that are pressed together, chord by chord; their order and case mean nothing."""
    return [frozenset(chord.lower().split("+")) for chord in key.split()]


def _absolute(path: str) -> str:
    return posixpath.normpath(f"{HOME}{path[1:]}" if path.startswith("~/") else path)
