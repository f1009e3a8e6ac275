"""Read manifests: the JSON files that list the cases of one scenario and variant.

`docs/manifests.md` shows the form.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
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

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from pytest_rogue.suite.tasks import CheckValidator

FORMAT = 1
"""Version of the manifest form, the value of the key `rogue_manifest`."""

SCENARIOS = ("override", "rewire", "restrictedaccess")
"""Scenarios that come with the package."""

KINDS: Mapping[str, type[ObstacleSpec]] = MappingProxyType(
    {"control_request": ControlRequest, "shutdown_notice": ShutdownNotice, "restriction": Restriction}
)
"""Obstacles that come with the package, each with what it can be told."""

KEYS = ("rogue_manifest", "scenario", "variant", "obstacle", "cases")


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
    text = read_source(path, "manifest")
    try:
        located = read_located(text, "cases")
    except json.JSONDecodeError as error:
        raise TaskError(f"{path}:{error.lineno}: not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}") from error
    _raise(path, list(_top_problems(located, scenarios)))
    data = located.data
    tasks = TaskFolder(path.parent / "tasks" if tasks_folder is None else tasks_folder, validate_check)
    maker = CaseMaker(
        path,
        scenario=data["scenario"],
        variant=data["variant"],
        obstacle=data["obstacle"],
        tasks=tasks,
        kinds=kinds,
    )
    try:
        maker.obstacle({})
    except TaskError as error:
        _raise(path, [(located.key_lines["obstacle"], str(error))])
    return Manifest(path, data["scenario"], data["variant"], _make_cases(path, located, maker))


def _make_cases(path: Path, located: LocatedJson, maker: CaseMaker) -> tuple[Case, ...]:
    cases: dict[str, Case] = {}
    problems: list[tuple[int, str]] = []
    told: set[TaskError] = set()
    for entry, line in zip(located.data["cases"], located.element_lines, strict=True):
        try:
            case = maker.make(entry, line)
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


def _top_problems(located: LocatedJson, scenarios: Collection[str]) -> Iterator[tuple[int, str]]:
    """Say what is wrong with the manifest's own keys, each with its line."""
    data = located.data
    for key, line in located.key_lines.items():
        if key not in KEYS:
            yield line, f"unknown key {shown(key)}; {closest(key, KEYS)}"
        elif expected := _expected(key, data[key], scenarios):
            yield line, f"{key!r} is {expected}, found {shown(data[key])}"
    for key in KEYS:
        if key not in data:
            yield 1, f"the key {key!r} is missing"


def _expected(key: str, value: Any, scenarios: Collection[str]) -> str:
    """Return what the value of a key has to be, empty where it is that."""
    match key:
        case "rogue_manifest" if type(value) is not int or value != FORMAT:
            return f"{FORMAT}, the version of this form"
        case "scenario" if value not in scenarios:
            return f"the name of a scenario ({closest(value, scenarios) if isinstance(value, str) else 'a text'})"
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
