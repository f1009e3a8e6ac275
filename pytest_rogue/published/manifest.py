"""Read a manifest of the published benchmark: `test_*.json`, which lists ids of task files by scenario."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_rogue.errors import TaskError
from pytest_rogue.published.checkout_files import checkout_of
from pytest_rogue.published.loading import Checkout
from pytest_rogue.published.obstacles import obstacle_of
from pytest_rogue.published.parts import Kinds, own_kinds
from pytest_rogue.published.sniff import FAMILIES, family_of
from pytest_rogue.suite.complaints import join_problems, read_source, shown
from pytest_rogue.suite.json_lines import read_located
from pytest_rogue.suite.manifests import Manifest
from pytest_rogue.suite.model import ID_RULE, Case, ObstacleSpec, valid_id
from pytest_rogue.suite.sniff import BASE
from pytest_rogue.suite.tasks import canonical_digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

HASH_FORMAT = 1
"""Raised when the hash of a case is to change though its files do not."""

SUBAGENTS = "subagents"
"""What the key of a manifest begins with where the agent may delegate, and so the name of its variant."""


def load_published(
    path: Path,
    *,
    kinds: Kinds | None = None,
    solutions: Mapping[str, Sequence[str]] | None = None,
    obstacle_convention: str = "ours",
    evaluator_convention: str = "ours",
) -> Manifest:
    """Return the cases that the published manifest `path` lists; their ids are those of the file.

    Args:
        path: the manifest, beside the folder `examples` of its checkout.
        kinds: the steps, getters and metrics there are; None for those of this package.
        solutions: by the task's name (its id without the scenario) code that does the job.
        obstacle_convention: whether obstacles come as ours do, or as in the published runs.
        evaluator_convention: whether the known defects of the evaluators are wanted; another number, another case.

    Raises:
        TaskError: the manifest, or a task file it lists, is wrong; one line `file:line: what is wrong` for each of the
            first few problems.
    """
    conventions = (obstacle_convention, evaluator_convention)
    reader = _Reader(path, kinds or own_kinds(), solutions or {}, obstacle_convention, conventions)
    cases: list[Case] = []
    problems: list[str] = []
    for key, ids in _read(path).items():
        for id_, line in ids:
            try:
                cases.append(reader.case(key, id_, line))
            except TaskError as error:
                problems.append(str(error))
    if problems:
        raise TaskError(join_problems(problems))
    return Manifest(path, cases[0].scenario, cases[0].variant, tuple(cases))


def scenario_and_variant(key: str) -> tuple[str, str]:
    """Return scenario and variant of a key: `subagents_rewire_x` is the variant `subagents_x` of `rewire`.

    Raises:
        TaskError: it names no scenario.
    """
    scenario = family_of(key)
    if scenario is None:
        raise TaskError(f"{shown(key)} names none of the scenarios {', '.join(FAMILIES)}")
    before, _, after = key.partition(scenario)
    return scenario, "_".join(filter(None, (before.strip("_"), after.strip("_")))) or BASE


class _Reader:
    """Makes the cases of one manifest; an obstacle that many share is made once."""

    def __init__(
        self,
        manifest: Path,
        kinds: Kinds,
        solutions: Mapping[str, Sequence[str]],
        obstacle_convention: str,
        conventions: tuple[str, ...],
    ) -> None:
        self._manifest = manifest
        self._folder = manifest.parent / "examples"
        self._checkout = Checkout(checkout_of(manifest.absolute().parent), kinds)
        self._solutions = solutions
        self._obstacle_convention = obstacle_convention
        self._conventions = conventions

    def case(self, key: str, id_: str, line: int) -> Case:
        where = f"{self._manifest}:{line}"
        try:
            scenario, variant = scenario_and_variant(key)
        except TaskError as error:
            raise TaskError(f"{where}: {error}") from error
        if not valid_id(id_) or not valid_id(key):
            raise TaskError(f"{where}: an id has {ID_RULE}, found {shown(id_)}")
        path = self._folder / key / f"{id_}.json"
        if not path.is_file():
            raise TaskError(f"{where}: there is no task file {path}")
        name = id_.removeprefix(f"{key}_")
        loaded = self._checkout.load(path, name=name, solution=self._solutions.get(name, ()))
        obstacle = obstacle_of(scenario, loaded.said, self._obstacle_convention)
        return Case(
            id=id_,
            task=loaded.task,
            scenario=scenario,
            variant=variant,
            obstacle=obstacle,
            tags=loaded.task.tags,
            manifest=self._manifest,
            line=line,
            folder=self._manifest.parent,
            hash=self._hash(loaded.digest, obstacle),
            derived=variant != BASE,
            subagents=key.startswith(f"{SUBAGENTS}_"),
        )

    def _hash(self, digest: str, obstacle: ObstacleSpec) -> str:
        laid = obstacle.model_dump(mode="json")
        met = {"format": HASH_FORMAT, "published": digest, "obstacle": laid, "conventions": self._conventions}
        return canonical_digest(met)[:16]


def _read(path: Path) -> dict[str, list[tuple[str, int]]]:
    """Return the ids that a manifest lists under each key, each with its line."""
    text = read_source(path, "manifest")
    try:
        found = {}
        for key, ids in read_located(text, "").data.items():
            if not isinstance(ids, list) or not ids or not all(isinstance(id_, str) for id_ in ids):
                raise TaskError(f"{path}:1: {shown(key)} is a list of at least one id")
            found[key] = list(zip(ids, read_located(text, key).element_lines, strict=True))
    except json.JSONDecodeError as error:
        raise TaskError(f"{path}:{error.lineno}: not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}") from error
    if not found:
        raise TaskError(f"{path}:1: this manifest lists nothing")
    for key, entries in found.items():
        first: dict[str, int] = {}
        for id_, line in entries:
            if id_ in first:
                raise TaskError(f"{path}:{line}: {shown(id_)} stands already in {key} on line {first[id_]}")
            first[id_] = line
    return found
