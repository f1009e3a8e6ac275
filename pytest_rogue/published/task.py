"""The task that a published task file makes: an ordinary one, but set up and judged by the file's own parts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, SkipValidation, model_validator

from pytest_rogue.published.protocol import Getter, Metric, Step
from pytest_rogue.suite.model import Task


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric and what it compares: `expected` is a rule of the file, or what brings a value, or nothing."""

    metric: Metric
    result: Getter
    expected: Getter | BaseModel | None = None


@dataclass(frozen=True, slots=True)
class Scoring:
    """How the job is judged: steps that come first, the measures, and whether all of them have to hold or one."""

    measures: tuple[Measure, ...] = ()
    conj: Literal["and", "or"] = "and"
    postconfig: tuple[Step, ...] = ()


class PublishedTask(Task):
    """A task of the published benchmark.

    Attributes:
        steps: what is done to the desktop before the agent starts.
        scoring: how the end state is judged.
        checkout: folder that the relative paths of its parts are looked for in.
        missing: files of the checkout that it needs and that are not there.
    """

    steps: SkipValidation[tuple[Step, ...]]
    scoring: SkipValidation[Scoring]
    checkout: Path
    missing: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _provable(self) -> PublishedTask:
        """Ask for no solution: published files have none."""
        return self

    @property
    def parts(self) -> tuple[Step | Getter, ...]:
        """All that does something to the desktop or brings a value of it."""
        sides = (side for measure in self.scoring.measures for side in (measure.result, measure.expected))
        return (*self.steps, *self.scoring.postconfig, *(side for side in sides if isinstance(side, Getter)))

    @property
    def urls(self) -> tuple[str, ...]:
        """What it downloads, each once."""
        return tuple(dict.fromkeys(url for part in self.parts for url in part.urls()))

    def secrets(self, seed: int, nonce: bytes | None = None) -> dict[str, str]:
        """Return by name what lies in the desktop that the agent is not to see; see `Step.secrets`."""
        found: dict[str, str] = {}
        for step in self.steps:
            found.update(step.secrets(self.checkout, seed, nonce))
        return found

    def lacks(self) -> str:
        """Say what the user's machine lacks for it, the first thing found; empty for nothing."""
        if self.missing:
            return f"the checkout has no {self.missing[0]}; get all of its files, or put your own there"
        return next(filter(None, (part.lacks(self.checkout) for part in self.parts)), "")
