"""`pytest-rogue experiments list`: the presets that `--rogue-experiment` takes."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    import argparse

COLUMNS = {
    "model": "model",
    "reasoning_effort": "effort",
    "observation": "observation",
    "max_steps": "steps",
    "history": "history",
    "prompt": "prompts",
}
"""Heading by option."""


def add_experiments_command(commands: Any) -> None:
    """Declare the command.

    Args:
        commands: argparse's group of commands.
    """
    experiments = commands.add_parser("experiments", help="the presets that --rogue-experiment takes")
    actions = experiments.add_subparsers(metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="one line each, with what the published run of that name had otherwise")
    listing.add_argument("pattern", nargs="?", default="*", help="part of a name, or a pattern with * and ?")
    listing.set_defaults(run=_list)


def _list(chosen: argparse.Namespace) -> int:
    from pytest_rogue.suite.experiments import load_experiments

    pattern = chosen.pattern if set("*?[") & set(chosen.pattern) else f"*{chosen.pattern}*"
    found = [experiment for name, experiment in load_experiments().items() if fnmatchcase(name, pattern)]
    if not found:
        raise ConfigError(f"no experiment matches {chosen.pattern!r}; pytest-rogue experiments list shows all")
    rows = [["experiment", *COLUMNS.values(), "note"]]
    rows += [[each.name, *(_shown(each.options.get(option, "")) for option in COLUMNS), each.note] for each in found]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
    return 0


def _shown(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)
