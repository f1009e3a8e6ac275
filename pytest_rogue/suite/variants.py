"""Variants: what is changed in every case of a scenario, as data in `variants.toml` beside its manifest.

`docs/variants.md` shows the form. A variant is applied while a manifest is read, so that what a case's hash covers is
what the agent will meet.
"""

from __future__ import annotations

import json
import re
import tomllib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pytest_rogue.errors import TaskError
from pytest_rogue.suite.complaints import Place, closest, join_problems, read_source, sentences
from pytest_rogue.suite.model import PutFile, SetupStep
from pytest_rogue.suite.toml_lines import nearest_line, toml_lines

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_rogue.suite.model import Task

FILE = "variants.toml"
"""Name of the file, in the folder of the manifest that is changed."""


class Variant(BaseModel):
    """One change to a scenario.

    Attributes:
        about: what is different, in one sentence.
        counterpart_of: names that ROGUE gives to variants with the same purpose.
        obstacle: keys laid over the obstacle of every case, last of all.
        no_obstacle: True where nothing comes in the way.
        instruction: sentences that follow the task's instruction, after an empty line.
        setup: steps that follow the task's own.
        impossible: True where the job cannot be done under this variant, so that declining it is right.
        prompts: what a language model is told besides, by the names that `--rogue-prompt` takes.
        subagents: True where the agent may delegate.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    about: str = Field(min_length=1)
    counterpart_of: tuple[str, ...] = ()
    obstacle: dict[str, Any] = Field(default_factory=dict)
    no_obstacle: bool = False
    instruction: str = ""
    setup: tuple[SetupStep, ...] = ()
    impossible: bool = False
    prompts: tuple[str, ...] = ()
    subagents: bool = False

    @model_validator(mode="after")
    def _obstacle_or_none(self) -> Variant:
        if self.no_obstacle and self.obstacle:
            raise ValueError("no_obstacle leaves nothing to lay the keys of obstacle over; drop one of the two")
        if any(isinstance(step, PutFile) and step.asset is not None for step in self.setup):
            raise ValueError("the set-up of a variant writes content, not assets")
        return self

    def changed(self, task: Task) -> Task:
        """Return the job as the agent will meet it."""
        if not self.task_changes:
            return task
        update: dict[str, Any] = {"setup": task.setup + self.setup}
        if self.instruction:
            update["instruction"] = f"{task.instruction.rstrip()}\n\n{self.instruction}"
        if self.impossible:
            update |= {"impossible": True, "checks": (), "solution": ()}
        return task.model_copy(update=update)

    @property
    def task_changes(self) -> dict[str, Any]:
        """What it changes in a job, as JSON; empty for nothing."""
        return self.model_dump(mode="json", include={"instruction", "setup", "impossible"}, exclude_defaults=True)

    @property
    def conditions(self) -> dict[str, Any]:
        """What it changes for the agent beside job and obstacle, as JSON; empty for nothing."""
        return self.model_dump(mode="json", include={"prompts", "subagents"}, exclude_defaults=True)

    def over(self, first: Variant) -> Variant:
        """Return both changes as one, `first` being made before this one."""
        return Variant(
            about=self.about,
            counterpart_of=self.counterpart_of,
            obstacle={**first.obstacle, **self.obstacle},
            no_obstacle=first.no_obstacle or self.no_obstacle,
            instruction="\n\n".join(filter(None, (first.instruction, self.instruction))),
            setup=first.setup + self.setup,
            impossible=first.impossible or self.impossible,
            prompts=(*first.prompts, *(name for name in self.prompts if name not in first.prompts)),
            subagents=first.subagents or self.subagents,
        )


UNCHANGED = Variant(about="Nothing is changed.")
"""The variant of a manifest that lists its own cases."""


def find_variant(folder: Path, scenario: str, name: str) -> Variant:
    """Return a variant of `scenario` from the file `variants.toml` in `folder`.

    Raises:
        TaskError: there is no such file or variant, or the file is wrong.
    """
    path = folder / FILE
    known = load_variants(path).get(scenario, {})
    if name not in known:
        hint = closest(name, known) if known else f"the file has no table [{scenario}.{name}]"
        raise TaskError(f"{path} has no variant {name!r} of {scenario}; {hint}")
    return known[name]


def load_variants(path: Path) -> Mapping[str, Mapping[str, Variant]]:
    """Return the variants in the file `path`, by scenario and name, each with those it is based on.

    Raises:
        TaskError: the file is missing or wrong; one line `file:line: what is wrong` for each of the first few problems.
    """
    return _parsed(read_source(path, "file of variants"), str(path))


@lru_cache(maxsize=16)  # a suite has one manifest for each variant, and each of them asks
def _parsed(text: str, path: str) -> Mapping[str, Mapping[str, Variant]]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise TaskError(f"{path}:{line[1] if line else 1}: not valid TOML: {error}") from error
    found: dict[str, dict[str, Variant]] = {}
    problems: list[tuple[Place, str]] = []
    for scenario, tables in data.items():
        if not isinstance(tables, dict):
            problems.append(((scenario,), "a table [scenario.variant] was expected"))
            continue
        of_scenario = found[scenario] = {}
        for name, table in tables.items():
            try:
                of_scenario[name] = _variant(table, of_scenario)
            except ValidationError as error:
                problems += [((scenario, name, *place), said) for place, said in sentences(error, _known_keys)]
            except TaskError as error:
                problems.append(((scenario, name), str(error)))
    if problems:
        lines = toml_lines(text)
        told = [f"{path}:{nearest_line(lines, place)}: {'.'.join(map(str, place))}: {said}" for place, said in problems]
        raise TaskError(join_problems(told))
    return found


def _variant(table: object, earlier: Mapping[str, Variant]) -> Variant:
    fields = dict(table) if isinstance(table, dict) else {}
    base = fields.pop("based_on", None)
    if base is not None and base not in earlier:
        raise TaskError(f"based_on names {base!r}, which is no variant above it; {closest(str(base), earlier)}")
    # JSON mode, since strict validation takes an array for a tuple only there.
    variant = Variant.model_validate_json(json.dumps(fields, default=str))
    return variant if base is None else variant.over(earlier[base])


def _known_keys(place: Place) -> tuple[str, ...]:
    return () if place else (*Variant.model_fields, "based_on")
