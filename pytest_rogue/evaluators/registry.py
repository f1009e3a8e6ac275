"""Evaluators by name. `pytest_rogue_evaluators` adds to them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic import ValidationError

from pytest_rogue.errors import ConfigError, TaskError
from pytest_rogue.evaluators.archives import ArchiveMembers
from pytest_rogue.evaluators.browser_data import BrowserData
from pytest_rogue.evaluators.browser_settings import BrowserExtension, BrowserPreference
from pytest_rogue.evaluators.browser_tabs import BrowserTabs
from pytest_rogue.evaluators.documents import DocumentServiceFile
from pytest_rogue.evaluators.folders import FileAbsent, FileExists, FileMode, FolderTree
from pytest_rogue.evaluators.libraries import why_missing
from pytest_rogue.evaluators.mail import MailFilter, MailFolder, MailMessage
from pytest_rogue.evaluators.office import SpreadsheetCells
from pytest_rogue.evaluators.pdf import PdfText
from pytest_rogue.evaluators.screen import ScreenEntries
from pytest_rogue.evaluators.session import CommandOutput, GSetting
from pytest_rogue.evaluators.structured import CsvCell, CsvRows, IniValue, JsonValue
from pytest_rogue.evaluators.text import FileLines, FileText, NumberInFile
from pytest_rogue.evaluators.vscode import VscodeExtension, VscodeKeybinding, VscodeSetting, VscodeWorkspace
from pytest_rogue.suite.complaints import closest, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_rogue.evaluators.protocol import Evaluator
    from pytest_rogue.suite.model import Check

_EVALUATORS: dict[str, type[Evaluator]] = {
    evaluator.name: evaluator
    for evaluator in (
        ArchiveMembers,
        BrowserData,
        BrowserExtension,
        BrowserPreference,
        BrowserTabs,
        CommandOutput,
        CsvCell,
        CsvRows,
        DocumentServiceFile,
        FileAbsent,
        FileExists,
        FileLines,
        FileMode,
        FileText,
        FolderTree,
        GSetting,
        IniValue,
        JsonValue,
        MailFilter,
        MailFolder,
        MailMessage,
        NumberInFile,
        PdfText,
        ScreenEntries,
        SpreadsheetCells,
        VscodeExtension,
        VscodeKeybinding,
        VscodeSetting,
        VscodeWorkspace,
    )
}


def register(evaluator: type[Evaluator]) -> None:
    """Add an evaluator.

    Raises:
        ConfigError: another one has this name already.
    """
    if _EVALUATORS.setdefault(evaluator.name, evaluator) is not evaluator:
        raise ConfigError(f"two evaluators are named '{evaluator.name}'; rename one of them")


def evaluator_for(check: Check) -> Evaluator:
    """Return the evaluator of a check, made with the check's arguments.

    Raises:
        TaskError: there is no such evaluator, or it cannot take the arguments.
    """
    kind = _EVALUATORS.get(check.evaluator)
    if kind is None:
        raise TaskError(f"there is no evaluator {check.evaluator!r}; {closest(check.evaluator, _EVALUATORS)}")
    try:
        # JSON mode, since strict validation takes an array for a tuple only there.
        return kind.model_validate_json(json.dumps(check.args))
    except ValidationError as error:
        keys = [field.alias or name for name, field in kind.model_fields.items()]
        place, said = sentences(error, lambda _: keys)[0]
        raise TaskError(f"{check.evaluator}: {'.'.join(('args', *map(str, place)))}: {said}") from error


def validate_check(check: Check) -> None:
    """Raise a `TaskError` where `check` can never work; called when a task is loaded."""
    evaluator_for(check)


def why_not_checked(checks: Iterable[Check]) -> str:
    """Say which library these checks read with and is not installed, and the line that installs it; empty for none."""
    kinds = (_EVALUATORS.get(check.evaluator) for check in checks)
    libraries = dict.fromkeys(kind.library for kind in kinds if kind is not None and kind.library)
    return next(filter(None, map(why_missing, libraries)), "")
