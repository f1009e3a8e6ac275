"""The published task files as they are: all that they ask of Google is understood, and all of it is skipped without."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.published.kinds import getters, steps
from tests.published.upstream_data import checkout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OURS = ("googledrive", "google_passwords_file", "googledrive_file")


@pytest.fixture(scope="module")
def parts() -> list[dict[str, Any]]:
    """Return every part of every task file that is about Google, but the login."""
    found = checkout()
    if found is None:
        pytest.skip("the published task files are not here (ROGUE_CHECKOUT names their checkout)")
    tasks = sorted((found / "evaluation_examples" / "examples").glob("*/*.json"))
    return [part for task in tasks for part in _parts(json.loads(task.read_text())) if part["type"] in OURS]


def test_every_part_is_understood_and_needs_an_account(parts: list[dict[str, Any]], tmp_path: Path) -> None:
    for part in parts:
        fields = {key: value for key, value in part.items() if key != "type"}
        if part["type"] == "googledrive_file":
            made: Any = getters()[part["type"]].model_validate_json(json.dumps(fields))
        else:
            made = steps()[part["type"]].model_validate_json(json.dumps(fields["parameters"]))
        assert "is not set up" in made.lacks(tmp_path)
    assert {part["type"] for part in parts} == set(OURS)


def _parts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if isinstance(value.get("type"), str):
            yield value
        for inner in value.values():
            yield from _parts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _parts(inner)
