"""Read a task file of the published benchmark: a task out, or one sentence that says what is wrong on which line."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from pytest_rogue.errors import TaskError
from pytest_rogue.published.checkout_files import places_of
from pytest_rogue.published.needs import needs_of
from pytest_rogue.published.parts import Kinds, PartError, at, place_in
from pytest_rogue.published.scoring import INFEASIBLE, read_scoring, read_steps
from pytest_rogue.published.task import PublishedTask, Scoring
from pytest_rogue.published.task_file import TaskFile, known_keys
from pytest_rogue.suite.complaints import Place, read_source, sentences, shown
from pytest_rogue.suite.json_lines import LocatedJson, read_located
from pytest_rogue.suite.tasks import canonical_digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_rogue.published.protocol import Step


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A task file: what it says, the task, and `digest`, the SHA-256 (hex) over all of it and the files it needs."""

    said: TaskFile
    task: PublishedTask
    digest: str


@dataclass(frozen=True, slots=True)
class Checkout:
    """A checkout of the benchmark.

    Attributes:
        folder: that the relative paths in its task files are looked for in.
        kinds: the steps, getters and metrics there are.
    """

    folder: Path
    kinds: Kinds

    def load(self, path: Path, *, name: str, solution: Sequence[str] = ()) -> LoadedFile:
        """Return the task in the JSON file `path`.

        Args:
            path: the file; its name without `.json` is its id.
            name: of the task, the same in every variant.
            solution: code that does the job, where somebody has written some.

        Raises:
            TaskError: the file is wrong; one sentence, `file:line: place: what is wrong`.
        """
        text = read_source(path, "task file")
        try:
            located = read_located(text, "config")
            said, steps, scoring, files = self._read(text, located, path)
            digest = canonical_digest({"task": located.data, "files": files, "solution": solution})
        except json.JSONDecodeError as error:
            raise TaskError(f"{path}:{error.lineno}: not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}") from error
        except RecursionError as error:
            raise TaskError(f"{path}:1: nested too deeply to be read") from error
        needs = needs_of(name, said)
        task = PublishedTask(
            id=name,
            instruction=said.instruction,
            apps=needs.apps,
            network="full" if needs.web else "none",
            tags=tuple(dict.fromkeys(filter(None, (said.snapshot, *said.related_apps)))),
            impossible=said.evaluator.func == INFEASIBLE,
            solution=tuple(solution),
            steps=steps,
            scoring=scoring,
            checkout=self.folder,
            missing=tuple(file for file, content in files.items() if content is None),
        )
        return LoadedFile(said, task, digest)

    def _read(
        self, text: str, located: LocatedJson, path: Path
    ) -> tuple[TaskFile, tuple[Step, ...], Scoring, Mapping[str, str | None]]:
        try:
            said = _said(text, located.data, path.stem)
            steps = tuple(read_steps(said.config, self.kinds, "config"))
            with at("evaluator"):
                scoring = read_scoring(said.evaluator, self.kinds)
            return said, steps, scoring, dict(self._files((*steps, *scoring.postconfig)))
        except PartError as error:
            where = ".".join(map(str, error.place))
            line = _line(located, error.place)
            raise TaskError(f"{path}:{line}: {f'{where}: ' if where else ''}{error.said}") from error

    def _files(self, steps: Sequence[Step]) -> Iterator[tuple[str, str | None]]:
        """Yield the files that the steps need, each with its SHA-256 (hex), None for one that is not there."""
        folder = self.folder.resolve()
        for name in dict.fromkeys(name for step in steps for name in step.files()):
            try:
                places = [place.resolve() for place in places_of(folder, name)]
                path = next((place for place in places if place.is_file()), places[0])
                if not path.is_relative_to(folder):
                    raise PartError((), f"the file {shown(name)} leads out of the checkout")
                yield name, hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
            except (OSError, ValueError) as error:
                raise PartError((), f"the file {shown(name)} cannot be read: {error}") from error


def _said(text: str, data: dict[str, Any], id_: str) -> TaskFile:
    try:
        said = TaskFile.model_validate_json(text)
    except ValidationError as error:
        place, sentence = sentences(error, known_keys)[0]
        missing = f"{place[-1]}: " if sentence == "this key is missing" else ""
        raise PartError(place_in(data, place), f"{missing}{sentence}") from error
    if said.id != id_:
        raise PartError(("id",), f"the id is the name of the file without .json, {shown(id_)}")
    return said


def _line(located: LocatedJson, place: Place) -> int:
    """Return the line of a step of the set-up, or of the key at the top that a place begins with."""
    match place:
        case ("config", int(number), *_) if number < len(located.element_lines):
            return located.element_lines[number]
        case (str(key), *_):
            return located.key_lines.get(key, 1)
    return 1
