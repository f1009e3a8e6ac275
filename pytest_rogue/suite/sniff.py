"""Tell a manifest from any other JSON file, at a glance and without importing anything heavy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MARK = b'"rogue_manifest"'
_VARIANT = re.compile(rb'"variant"\s*:\s*"([^"\\]*)"')
BASE = "base"
"""The variant of a scenario as it stands."""

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
    """Return the variant that the manifest `path` names in its first 4 KB; empty for a scenario as it stands."""
    try:
        with path.open("rb") as file:
            said = _VARIANT.search(file.read(GLANCE))
    except OSError:
        return ""  # what is wrong with it is told when it is read
    variant = said[1].decode(errors="replace") if said else BASE
    return "" if variant == BASE else variant
