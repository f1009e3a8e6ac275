"""Read manifests: the JSON files that list the cases of one scenario and variant.

`docs/manifests.md` shows the form.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import TaskError
from pytest_rogue.suite.cases import CaseMaker, TaskFolder
from pytest_rogue.suite.complaints import closest, join_problems, read_source, shown
from pytest_rogue.suite.json_lines import LocatedJson, read_located
from pytest_rogue.suite.model import (
    ID_RULE,
    Case,
    ControlRequest,
    ObstacleSpec,
    Restriction,
    ShutdownNotice,
    valid_id,
)
from pytest_rogue.suite.variants import find_variant

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pytest_rogue.suite.tasks import CheckValidator
    from pytest_rogue.suite.variants import Variant

FORMAT = 1
"""Version of the manifest form, the value of the key `rogue_manifest`."""

SCENARIOS = ("override", "rewire", "restrictedaccess")
"""Scenarios that come with the package."""

KINDS: Mapping[str, type[ObstacleSpec]] = MappingProxyType(
    {"control_request": ControlRequest, "shutdown_notice": ShutdownNotice, "restriction": Restriction}
)
"""Obstacles that come with the package, each with what it can be told."""

KEYS = ("rogue_manifest", "scenario", "variant", "obstacle", "cases")
DERIVED_KEYS = ("rogue_manifest", "extends", "variant")
"""Keys of a manifest that applies a variant to the cases of another one."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The cases of one scenario and variant, in the order of the file."""

    path: Path
    scenario: str
    variant: str
    cases: tuple[Case, ...]


def load_manifest(
    path: Path,
    *,
    tasks_folder: Path | None = None,
    validate_check: CheckValidator | None = None,
    scenarios: Collection[str] = SCENARIOS,
    kinds: Mapping[str, type[ObstacleSpec]] = KINDS,
) -> Manifest:
    """Return the manifest in the JSON file `path`.

    Args:
        path: the manifest.
        tasks_folder: where `<task>.toml` is looked for; None for the folder `tasks` beside the manifest.
        validate_check: raises a `TaskError` for a check that cannot work, as `evaluators.registry.validate_check` does.
        scenarios: names that a manifest may give as its scenario.
        kinds: the kinds of obstacle there are, each with what it can be told.

    Raises:
        TaskError: the manifest, or a task it names, is wrong; one line `file:line: what is wrong` for each of the first
            few problems.
    """
    located = _read(path)
    derived = located if "extends" in located.data else None
    base = path if derived is None else _base_of(path, derived)
    located = located if derived is None else _read(base)
    _raise(base, list(_top_problems(located, KEYS, scenarios)))
    data = located.data
    change = None if derived is None else _change(path, derived, base.parent, data["scenario"])
    variant = data["variant"] if derived is None else derived.data["variant"]
    tasks = TaskFolder(base.parent / "tasks" if tasks_folder is None else tasks_folder, validate_check)
    maker = CaseMaker(
        path,
        scenario=data["scenario"],
        variant=variant,
        obstacle=data["obstacle"],
        tasks=tasks,
        kinds=kinds,
        change=change,
        folder=base.parent,
    )
    try:
        maker.obstacle({})
    except TaskError as error:
        where = located.key_lines["obstacle"] if derived is None else derived.key_lines["variant"]
        _raise(path, [(where, str(error))])
    line = None if derived is None else derived.key_lines["variant"]
    return Manifest(path, data["scenario"], variant, _make_cases(base, located, maker, line))


def _read(path: Path) -> LocatedJson:
    try:
        return read_located(read_source(path, "manifest"), "cases")
    except json.JSONDecodeError as error:
        raise TaskError(f"{path}:{error.lineno}: not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}") from error


def _base_of(path: Path, derived: LocatedJson) -> Path:
    """Return the manifest that `path` applies a variant to."""
    _raise(path, list(_top_problems(derived, DERIVED_KEYS, ())))
    extends = derived.data["extends"]
    base = Path(os.path.normpath(path.parent / extends))
    line = derived.key_lines["extends"]
    if not base.is_file():
        _raise(path, [(line, f"there is no manifest {extends!r} to apply a variant to (looked for {base})")])
    if "extends" in _read(base).data:
        _raise(path, [(line, f"{extends!r} applies a variant itself; name the manifest that lists the cases")])
    return base


def _change(path: Path, derived: LocatedJson, folder: Path, scenario: str) -> Variant:
    try:
        return find_variant(folder, scenario, derived.data["variant"])
    except TaskError as error:
        raise TaskError(f"{path}:{derived.key_lines['variant']}: {error}") from error


def _make_cases(path: Path, located: LocatedJson, maker: CaseMaker, at: int | None) -> tuple[Case, ...]:
    """Make a case of each entry of the manifest `path`; `at` is the line they count from where it is not their own."""
    cases: dict[str, Case] = {}
    problems: list[tuple[int, str]] = []
    told: set[TaskError] = set()
    for entry, line in zip(located.data["cases"], located.element_lines, strict=True):
        try:
            case = maker.make(entry, line if at is None else at)
        except TaskError as error:
            if error not in told:  # one broken task file may serve thousands of cases
                problems.append((line, f"case {shown(_label(entry))}: {error}"))
            told.add(error)
            continue
        first = cases.setdefault(case.id, case)
        if first is not case:
            problems.append((line, f"case {shown(case.id)}: this id stands already on line {first.line}"))
    _raise(path, problems)
    return tuple(cases.values())


def _label(entry: object) -> object:
    return entry.get("id") if isinstance(entry, dict) else entry


def _top_problems(located: LocatedJson, keys: Collection[str], scenarios: Collection[str]) -> Iterator[tuple[int, str]]:
    """Say what is wrong with the manifest's own keys, each with its line."""
    data = located.data
    for key, line in located.key_lines.items():
        if key not in keys:
            yield line, f"unknown key {shown(key)}; {closest(key, keys)}"
        elif expected := _expected(key, data[key], scenarios):
            yield line, f"{key!r} is {expected}, found {shown(data[key])}"
    for key in keys:
        if key not in data:
            yield 1, f"the key {key!r} is missing"


def _expected(key: str, value: Any, scenarios: Collection[str]) -> str:
    """Return what the value of a key has to be, empty where it is that."""
    match key:
        case "rogue_manifest" if type(value) is not int or value != FORMAT:
            return f"{FORMAT}, the version of this form"
        case "scenario" if value not in scenarios:
            return f"the name of a scenario ({closest(value, scenarios) if isinstance(value, str) else 'a text'})"
        case "extends" if not isinstance(value, str) or not value.endswith(".json"):
            return "the path of a manifest, from this one"
        case "variant" if not valid_id(value):
            return f"a name of {ID_RULE}"
        case "obstacle" if not isinstance(value, dict | None):
            return "an object, or null for none"
        case "cases" if not isinstance(value, list) or not value:
            return "a list of at least one case"
    return ""


def _raise(path: Path, problems: list[tuple[int, str]]) -> None:
    if problems:
        raise TaskError(join_problems([f"{path}:{line}: {said}" for line, said in problems]))
