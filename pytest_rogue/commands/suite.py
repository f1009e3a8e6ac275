"""`pytest-rogue suite card`: the page that says what the tasks of the suite are, and what was proven of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

MANIFESTS = ("override", "rewire", "restrictedaccess", "starter", "starter_rewire")
"""The packaged manifests that list cases of their own."""


def add_suite_command(commands: Any) -> None:
    """Declare the command.

    Args:
        commands: argparse's group of commands.
    """
    suite = commands.add_parser("suite", help="what the packaged tasks are")
    actions = suite.add_subparsers(metavar="ACTION", required=True)
    card = actions.add_parser("card", help="a page in Markdown: every task, how they are spread, what was proven")
    card.add_argument("--proof", type=Path, metavar="FILE", help="what pytest-rogue verify --json=FILE has written")
    card.set_defaults(run=_card)


def _card(chosen: argparse.Namespace) -> int:
    from pytest_rogue import resources
    from pytest_rogue.evaluators.registry import validate_check
    from pytest_rogue.proof.card import Card
    from pytest_rogue.suite.manifests import load_manifest
    from pytest_rogue.suite.tasks import load_task

    folder = resources.path("scenarios")
    tasks = [load_task(path, validate_check=validate_check) for path in sorted((folder / "tasks").glob("*.toml"))]
    manifests = [load_manifest(folder / f"{name}.json") for name in MANIFESTS]
    print("\n".join(Card(tasks, manifests, _proof(chosen.proof)).lines()))
    return 0


def _proof(path: Path | None) -> Mapping[str, Any] | None:
    """Return what `verify` has written, None where no file is named.

    Raises:
        ConfigError: it is not such a file.
    """
    if path is None:
        return None
    try:
        proof: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        _ = proof["provider"], proof["date"], proof["repetitions"], proof["tasks"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} is not what pytest-rogue verify --json writes ({type(error).__name__})") from error
    return proof
