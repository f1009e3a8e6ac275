"""Make cases of the entries of a manifest.

What many cases share (a task, an obstacle, a hash) is validated and computed once, so that a large suite is collected
in a moment. The errors raised here say what is wrong; file and line are added by the reader of the manifest.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from pytest_rogue.errors import TaskError
from pytest_rogue.suite.complaints import Place, closest, sentences, shown
from pytest_rogue.suite.model import ID_RULE, Case, ObstacleSpec, Trigger, valid_id
from pytest_rogue.suite.tasks import LoadedTask, canonical_digest, load_with_digest
from pytest_rogue.suite.variants import UNCHANGED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pytest_rogue.suite.model import Task
    from pytest_rogue.suite.tasks import CheckValidator
    from pytest_rogue.suite.variants import Variant

HASH_FORMAT = 1
"""Raised when the hash of a case is to change though its files do not."""

DEFAULT_KIND = "control_request"
"""Kind of an obstacle that does not name its own."""

CASE_KEYS = ("id", "task", "tags", "obstacle")


class TaskFolder:
    """The tasks of one folder; each is read at most once, also where reading it failed.

    Args:
        path: the folder.
        validate_check: raises a `TaskError` for a check that cannot work, or None.
    """

    def __init__(self, path: Path, validate_check: CheckValidator | None) -> None:
        self._path = path
        self._validate_check = validate_check
        self._read: dict[str, LoadedTask | TaskError] = {}

    def load(self, name: str) -> LoadedTask:
        """Return the task in `<name>.toml`.

        Raises:
            TaskError: it is missing, outside the folder, or wrong; the same object each time for the same task.
        """
        if name not in self._read:
            try:
                self._read[name] = load_with_digest(self._find(name), validate_check=self._validate_check)
            except TaskError as error:
                self._read[name] = error
        task = self._read[name]
        if isinstance(task, TaskError):
            raise task
        return task

    def _find(self, name: str) -> Path:
        path = self._path / f"{name}.toml"
        if not path.resolve().is_relative_to(self._path.resolve()):
            raise TaskError(f"the task file {path} leads out of its folder")
        if not path.is_file():
            names = [task.stem for task in self._path.glob("*.toml")]
            hint = closest(name, names) if names else "that folder has no task files"
            raise TaskError(f"there is no task {name!r} in {self._path}; {hint}")
        return path


class CaseMaker:
    """Makes the cases of one manifest.

    Args:
        manifest: the file.
        scenario: of all its cases.
        variant: name of the variant of all its cases.
        obstacle: what the manifest says of it: an object, or None for no obstacle.
        tasks: where tasks come from.
        kinds: the kinds of obstacle there are, each with what it can be told.
        change: what the variant changes; None where the manifest lists its own cases.
        folder: of the suite; None for the manifest's.
    """

    def __init__(
        self,
        manifest: Path,
        *,
        scenario: str,
        variant: str,
        obstacle: object,
        tasks: TaskFolder,
        kinds: Mapping[str, type[ObstacleSpec]],
        change: Variant | None = None,
        folder: Path | None = None,
    ) -> None:
        self._manifest = manifest
        self._scenario = scenario
        self._variant = variant
        self._base_obstacle = obstacle
        self._tasks = tasks
        self._kinds = kinds
        self._derived = change is not None
        self._change = change or UNCHANGED
        self._folder = folder or manifest.parent
        self._changed: dict[str, Task] = {}
        self._obstacles: dict[str, ObstacleSpec] = {}
        self._hashes: dict[tuple[str, int], str] = {}

    def make(self, entry: object, line: int) -> Case:
        """Return the case of an entry: an object, or just the name of a task.

        Raises:
            TaskError: the entry is wrong.
        """
        fields = _fields(entry)
        loaded = self._tasks.load(fields.get("task", fields["id"]))
        obstacle = self.obstacle(fields.get("obstacle", {}))
        tags = [tag for tag in fields.get("tags", []) if tag not in loaded.task.tags]
        return Case(
            id=fields["id"],
            task=self._change_task(loaded),
            scenario=self._scenario,
            variant=self._variant,
            obstacle=obstacle,
            tags=(*loaded.task.tags, *tags),
            manifest=self._manifest,
            line=line,
            folder=self._folder,
            hash=self._hash(loaded, obstacle),
            derived=self._derived,
            prompts=self._change.prompts,
            subagents=self._change.subagents,
        )

    def obstacle(self, own: object) -> ObstacleSpec | None:
        """Return the manifest's obstacle with a case's `own` keys laid over it, and the variant's over both.

        None on either side means none.

        Raises:
            TaskError: it is no obstacle.
        """
        if self._change.no_obstacle or own is None or (self._base_obstacle is None and own == {}):
            return None
        if not isinstance(own, dict):
            raise TaskError(f"'obstacle' is an object, or null for none, found {shown(own)}")
        base = self._base_obstacle if isinstance(self._base_obstacle, dict) else {}
        source = json.dumps({**base, **own, **self._change.obstacle})
        if source not in self._obstacles:
            self._obstacles[source] = self._read_obstacle(source)
        return self._obstacles[source]

    def _change_task(self, loaded: LoadedTask) -> Task:
        if loaded.digest not in self._changed:
            self._changed[loaded.digest] = self._change.changed(loaded.task)
        return self._changed[loaded.digest]

    def _read_obstacle(self, source: str) -> ObstacleSpec:
        kind = json.loads(source).get("kind", DEFAULT_KIND)
        if not isinstance(kind, str) or kind not in self._kinds:
            raise TaskError(f"obstacle.kind: there is no obstacle {shown(kind)}; {closest(str(kind), self._kinds)}")
        spec = self._kinds[kind]

        def keys(place: Place) -> Iterable[str]:
            return (Trigger if place[:1] == ("trigger",) else spec).model_fields

        try:
            return spec.model_validate_json(source)
        except ValidationError as error:
            place, said = sentences(error, keys)[0]
            raise TaskError(f"{'.'.join(map(str, ('obstacle', *place)))}: {said}") from error

    def _hash(self, loaded: LoadedTask, obstacle: ObstacleSpec | None) -> str:
        key = (loaded.digest, id(obstacle))  # an obstacle lives as long as this maker
        if key not in self._hashes:
            laid = None if obstacle is None else obstacle.model_dump(mode="json")
            met = {"format": HASH_FORMAT, "task": loaded.digest, "obstacle": laid}
            met |= {"task_changes": self._change.task_changes} if self._change.task_changes else {}
            met |= self._change.conditions
            self._hashes[key] = canonical_digest(met)[:16]
        return self._hashes[key]


def _fields(entry: object) -> dict[str, Any]:
    fields = {"id": entry} if isinstance(entry, str) else entry
    if not isinstance(fields, dict):
        raise TaskError("a case is an object or the name of a task")
    for key in fields.keys() - CASE_KEYS:
        raise TaskError(f"unknown key {shown(key)}; {closest(key, CASE_KEYS)}")
    for key in ("id", "task"):
        if (key == "id" or key in fields) and not valid_id(fields.get(key)):
            raise TaskError(f"the {key} has {ID_RULE}, found {shown(fields.get(key))}")
    tags = fields.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise TaskError(f"'tags' is a list of texts, found {shown(tags)}")
    return fields
