"""Tell a manifest from any other JSON file, at a glance and without importing anything heavy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MARK = b'"rogue_manifest"'
GLANCE = 4096
"""Bytes of a file that are looked at."""


def is_manifest(path: Path) -> bool:
    """Return True for a `.json` file that has the key `rogue_manifest` in its first 4 KB."""
    if path.suffix != ".json":
        return False
    try:
        with path.open("rb") as file:
            return MARK in file.read(GLANCE)
    except OSError:
        return False


def variant_of(path: Path) -> str:
    """Return the variant that the manifest `path` applies to another one; empty where it lists its own cases."""
    try:
        with path.open("rb") as file:
            glance = file.read(GLANCE)
        data = json.loads(glance) if b'"extends"' in glance else {}
    except (OSError, ValueError):
        return ""  # what is wrong with it is told when it is read
    return str(data.get("variant", "")) if isinstance(data, dict) and "extends" in data else ""
