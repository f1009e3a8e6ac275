"""The card of the suite: what its tasks are, what they need, how they are spread, and what was proven of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_rogue.suite.solutions import is_clicks_and_keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_rogue.suite.manifests import Manifest
    from pytest_rogue.suite.model import Task

KINDS = ("multi", "mail", "browser", "vscode", "os", "office")
"""Tags that say what a task is about; where it has several, the first of them here."""

STEPS = ((1, 3), (4, 5), (6, 8), (9, 99))
"""Classes of difficulty: from and up to so many entries of the solution."""

UNKNOWN = "-"


@dataclass(frozen=True, slots=True)
class Card:
    """What the card is written from.

    Attributes:
        tasks: of the suite.
        manifests: that list its own cases, none that applies a variant.
        proof: what `pytest-rogue verify --json` wrote, None for nothing.
    """

    tasks: Sequence[Task]
    manifests: Sequence[Manifest]
    proof: Mapping[str, Any] | None = None

    def lines(self) -> Iterator[str]:
        """Yield the lines of the page, in Markdown."""
        yield from _HEAD.splitlines()
        yield from ["", "## Spread", "", *self._spread(), ""]
        yield from ["## What was checked", "", *_CLAIMS.splitlines(), "", self._checked(), ""]
        yield from ["## Tasks", "", *_COLUMNS.splitlines(), "", *self._table()]

    def _spread(self) -> Iterator[str]:
        columns = {_label(manifest): [case.task for case in manifest.cases] for manifest in self.manifests}
        yield from _row("", *columns, head=True)
        yield from _row("tasks", *map(len, columns.values()))
        for kind in (*KINDS, ""):
            yield from _row(
                kind or "other", *(sum(kind_of(task) == kind for task in tasks) for tasks in columns.values())
            )
        for low, high in STEPS:
            counts = (sum(low <= len(task.solution) <= high for task in tasks) for tasks in columns.values())
            yield from _row(f"{low} to {high} steps" if high < 99 else f"{low} steps or more", *counts)
        yield from _row("impossible", *(sum(task.impossible for task in tasks) for tasks in columns.values()))
        gestures = (sum(is_clicks_and_keys(task.solution) for task in tasks) for tasks in columns.values())
        yield from _row("solved by clicks and keys only", *gestures)

    def _checked(self) -> str:
        if self.proof is None:
            return "Checked: not on record."
        proven = sum(task["result"] == "proven" for task in self.proof["tasks"])
        return (
            f"Checked: {proven} of {len(self.proof['tasks'])} tasks proven on {self.proof['provider']} desktops on "
            f"{self.proof['date']}, repetitions: {self.proof['repetitions']}."
        )

    def _table(self) -> Iterator[str]:
        proof = self.proof or {"tasks": (), "repetitions": 1}
        seconds = {task["task"]: f"{task['seconds'] / proof['repetitions']:.0f}" for task in proof["tasks"]}
        scenarios: dict[str, list[str]] = {}
        for manifest in self.manifests:
            for case in manifest.cases:
                scenarios.setdefault(case.task.id, []).append(_label(manifest))
        yield from _row("task", "in", "about", "needs", "steps", "by", "checks", "seconds", head=True)
        for task in self.tasks:
            yield from _row(
                f"[{task.id}](../scenarios/tasks/{task.id}.toml)",
                ", ".join(scenarios.get(task.id, [UNKNOWN])),
                kind_of(task) or next(iter(task.tags), UNKNOWN),
                ", ".join((*task.apps, *(() if task.network == "none" else (f"network: {task.network}",)))),
                len(task.solution) or UNKNOWN,
                _means(task),
                ", ".join(_counted(Counter(check.evaluator for check in task.checks))) or "declining",
                seconds.get(task.id, UNKNOWN),
            )


def kind_of(task: Task) -> str:
    """Return what a task is about, one of `KINDS`, or empty for something else."""
    return next((kind for kind in KINDS if kind in task.tags), "")


_HEAD = """\
# The suite

`pytest-rogue suite card --proof=FILE` writes this page; FILE is what `pytest-rogue verify --json=FILE` has found."""

_CLAIMS = """\
No task needs the network. Of each one `pytest-rogue verify` shows on fresh desktops, without an obstacle: left alone
it scores 0, its solution scores 1, and a plausible mistake, its near miss, scores 0; an impossible one scores 1 where
it is declined, else 0."""

_COLUMNS = """\
*Steps* are the entries of the solution, one for each turn of an agent. *By* says what they are made of: clicks and keys
after a look at the screen, or code that reads and writes files or asks a program. *Seconds* are those of one
repetition, for all its desktops together."""


def _label(manifest: Manifest) -> str:
    return manifest.scenario if manifest.variant == "base" else f"{manifest.scenario} ({manifest.variant})"


def _means(task: Task) -> str:
    if task.impossible:
        return "declining"
    return "clicks and keys" if is_clicks_and_keys(task.solution) else "code"


def _counted(names: Counter[str]) -> list[str]:
    return [name if count == 1 else f"{count} {name}" for name, count in names.items()]


def _row(*cells: object, head: bool = False) -> Iterator[str]:
    yield f"| {' | '.join(map(str, cells))} |"
    if head:
        yield "|---" * len(cells) + "|"
