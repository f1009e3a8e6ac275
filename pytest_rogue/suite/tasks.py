"""Read task files: TOML in, a frozen `Task` out, or one sentence that says what is wrong on which line."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from pytest_rogue.errors import TaskError
from pytest_rogue.suite.complaints import Place, join_problems, read_source, sentences
from pytest_rogue.suite.model import (
    ID_RULE,
    Check,
    Launch,
    MakeFolder,
    PutFile,
    RunCommand,
    ServeDocuments,
    Task,
    valid_id,
)
from pytest_rogue.suite.toml_lines import nearest_line, toml_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    CheckValidator = Callable[[Check], None]

SETUP_KINDS: dict[str, type[BaseModel]] = {
    "file": PutFile,
    "folder": MakeFolder,
    "run": RunCommand,
    "launch": Launch,
    "documents": ServeDocuments,
}


@dataclass(frozen=True, slots=True)
class LoadedTask:
    """A task and `digest`, the SHA-256 (hex) over all of it, the bytes of its assets included."""

    task: Task
    digest: str


_cache: dict[Path, tuple[tuple[int, int], CheckValidator | None, LoadedTask]] = {}


def load_task(path: Path, *, validate_check: CheckValidator | None = None) -> Task:
    """Return the task in the TOML file `path`.

    Assets are looked for in the folder `assets` beside the folder of the task file. A file that has not changed is
    read once a process.

    Args:
        path: the task file; its name without `.toml` is the id of the task.
        validate_check: raises a `TaskError` for a check that cannot work, as `evaluators.registry.validate_check` does.

    Raises:
        TaskError: the file is wrong; the message is `file:line: field: what is wrong`, for the first few problems.
    """
    return load_with_digest(path, validate_check=validate_check).task


def load_with_digest(path: Path, *, validate_check: CheckValidator | None = None) -> LoadedTask:
    """Return the task like `load_task`, with the digest that the hash of a case is made of."""
    stamp = _stamp(path)
    known = _cache.get(path)
    if known is not None and stamp is not None and known[:2] == (stamp, validate_check):
        return known[2]
    text = read_source(path, "task file")
    task = _parse(text, path, validate_check)
    loaded = LoadedTask(task, _digest(task, path.parent.parent / "assets", path))
    if stamp is not None:
        _cache[path] = (stamp, validate_check, loaded)
    return loaded


def asset_path(assets: Path, name: str) -> Path:
    """Return the file `name` in the folder `assets`.

    Raises:
        TaskError: there is no such file, or the name or a symbolic link leads out of the folder.
    """
    path = assets / name
    resolved = path.resolve()
    if not resolved.is_relative_to(assets.resolve()):
        raise TaskError(f"asset {name!r} leads out of the folder {assets}")
    if not resolved.is_file():
        raise TaskError(f"asset {name!r} is not in the folder {assets}")
    return path


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def _parse(text: str, path: Path, validate_check: CheckValidator | None) -> Task:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        where = line[1] if line else text.count("\n") + 1
        message = re.sub(r" \(at .*\)$", "", str(error))
        raise TaskError(f"{path}:{where}: not valid TOML: {message[:1].lower()}{message[1:]}") from error
    except RecursionError as error:
        raise TaskError(f"{path}:1: nested too deeply to be read") from error
    data.setdefault("id", path.stem)
    problems: list[tuple[Place, str]]
    try:
        # JSON mode, since strict validation takes an array for a tuple only there.
        task = Task.model_validate_json(json.dumps(data, default=str))
    except ValidationError as error:
        problems = [(_without_tag(place), said) for place, said in sentences(error, _known_keys)]
    else:
        problems = list(_deeper_problems(task, path, validate_check))
        if not problems:
            return task
    lines = toml_lines(text)
    told = [f"{path}:{nearest_line(lines, place)}: {_field(place)}{said}" for place, said in problems]
    raise TaskError(join_problems(told))


def _deeper_problems(task: Task, path: Path, validate_check: CheckValidator | None) -> Iterable[tuple[Place, str]]:
    if not valid_id(task.id):
        yield ("id",), f"an id has {ID_RULE}"
    elif task.id != path.stem:
        yield ("id",), f"the id is the name of the file without .toml, {path.stem!r}"
    for index, step in enumerate(task.setup):
        if isinstance(step, PutFile) and step.asset is not None:
            try:
                asset_path(path.parent.parent / "assets", step.asset)
            except TaskError as error:
                yield ("setup", index, "asset"), str(error)
    for index, check in enumerate(task.checks):
        try:
            if validate_check is not None:
                validate_check(check)
        except TaskError as error:
            yield ("checks", index), str(error)


def _without_tag(place: Place) -> Place:
    """Drop the kind of a set-up step, which pydantic puts into the place: it is no key of the file."""
    return place[:2] + place[3:] if place[:1] == ("setup",) and len(place) > 2 else place


def _field(place: Place) -> str:
    return ".".join(str(part) for part in place) + ": " if place else ""


def _known_keys(place: Place) -> Iterable[str]:
    model: type[BaseModel] = Task
    if place[:1] == ("checks",):
        model = Check
    elif place[:1] == ("setup",):
        model = SETUP_KINDS[str(place[2])]
    return model.model_fields


def _digest(task: Task, assets: Path, path: Path) -> str:
    files: dict[str, str] = {}
    for step in task.setup:
        if isinstance(step, PutFile) and step.asset is not None:
            try:
                content = asset_path(assets, step.asset).read_bytes()
            except OSError as error:
                raise TaskError(f"{path}: asset {step.asset!r} cannot be read: {error.strerror}") from error
            files[step.asset] = hashlib.sha256(content).hexdigest()
    return canonical_digest({"task": task.model_dump(mode="json"), "assets": files})


def canonical_digest(data: Any) -> str:
    """Return the SHA-256 (hex) over `data` as canonical JSON: sorted keys, no spaces, ASCII only."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
