"""Every step, getter and metric that the published task files use is one of this package."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.published import kinds
from pytest_rogue.published.scoring import RULE
from tests.published.upstream_data import checkout

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(
    checkout() is None, reason="no checkout of the published benchmark here (ROGUE_CHECKOUT)"
)


def as_list(said: Any) -> list[Any]:
    return said if isinstance(said, list) else [] if said is None else [said]


def files() -> Iterator[dict[str, Any]]:
    found = checkout()
    assert found is not None
    for path in sorted((found / "evaluation_examples" / "examples").glob("*/*.json")):
        yield json.loads(path.read_text())


def test_every_step_is_known() -> None:
    used = {step["type"] for file in files() for step in (*file["config"], *file["evaluator"].get("postconfig", []))}

    assert sorted(used - kinds.steps().keys()) == []


def test_every_getter_is_known() -> None:
    sides = ("result", "expected")
    said = [getter for file in files() for side in sides for getter in as_list(file["evaluator"].get(side))]

    assert sorted({getter["type"] for getter in said} - kinds.getters().keys() - {RULE}) == []


def test_every_metric_is_known() -> None:
    used = {func for file in files() for func in as_list(file["evaluator"]["func"])}

    assert sorted(used - kinds.metrics().keys()) == []
