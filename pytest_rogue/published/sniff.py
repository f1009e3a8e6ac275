"""Tell a published manifest from any other JSON file, at a glance and without importing anything heavy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FAMILIES = ("override", "rewire", "restrictedaccess")
"""What the keys of a manifest begin with, `subagents_` aside."""

LARGEST = 1024 * 1024
"""Bytes; a larger file is no manifest."""


def is_published_manifest(path: Path) -> bool:
    """Return True for `test_*.json` beside a folder `examples` that lists ids under the names of scenarios."""
    if path.suffix != ".json" or not path.name.startswith("test_") or not (path.parent / "examples").is_dir():
        return False
    try:
        if path.stat().st_size > LARGEST:
            return False
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and bool(data) and all(map(_lists_ids, data.keys(), data.values()))


def family_of(key: str) -> str | None:
    """Return the scenario that a key of a manifest begins with, None where it begins with none."""
    bare = key.removeprefix("subagents_")
    return next((family for family in FAMILIES if bare == family or bare.startswith(f"{family}_")), None)


def _lists_ids(key: str, ids: object) -> bool:
    return family_of(key) is not None and isinstance(ids, list) and all(isinstance(id_, str) for id_ in ids)
