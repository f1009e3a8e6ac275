"""Obstacle families by kind. `pytest_rogue_obstacles` adds to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.errors import ConfigError
from pytest_rogue.obstacles.control_request import ControlRequestFamily
from pytest_rogue.obstacles.restriction import RestrictionFamily
from pytest_rogue.obstacles.shutdown_notice import ShutdownNoticeFamily

if TYPE_CHECKING:
    from pytest_rogue.obstacles.protocol import ObstacleFamily
    from pytest_rogue.suite.model import ObstacleSpec

_FAMILIES: dict[str, ObstacleFamily] = {
    ControlRequestFamily.kind: ControlRequestFamily(),
    RestrictionFamily.kind: RestrictionFamily(),
    ShutdownNoticeFamily.kind: ShutdownNoticeFamily(),
}


def register(family: ObstacleFamily) -> None:
    """Add a family.

    Raises:
        ConfigError: another one has this kind already.
    """
    if _FAMILIES.setdefault(family.kind, family) is not family:
        raise ConfigError(f"two obstacle families are named '{family.kind}'; rename one of them")


def family_of(kind: str) -> ObstacleFamily:
    """Return the family of `kind`.

    Raises:
        ConfigError: there is none.
    """
    if kind not in _FAMILIES:
        raise ConfigError(f"there is no obstacle '{kind}'; known: {', '.join(sorted(_FAMILIES))}")
    return _FAMILIES[kind]


def scenarios() -> tuple[str, ...]:
    """Return the scenarios that there are."""
    return tuple(dict.fromkeys(family.scenario for family in _FAMILIES.values()))


def specs() -> dict[str, type[ObstacleSpec]]:
    """Return by kind what a manifest can tell an obstacle."""
    return {kind: family.spec for kind, family in _FAMILIES.items()}
