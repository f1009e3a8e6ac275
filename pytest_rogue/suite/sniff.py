"""Tell a manifest from any other JSON file, at a glance and without importing anything."""

from __future__ import annotations

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
