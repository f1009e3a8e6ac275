"""Can desktops run in containers here? Every answer comes with the line that mends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.desktops.docker_engine import Engine, EngineFault, free_space
from pytest_rogue.errors import ConfigError
from pytest_rogue.readiness import Readiness

if TYPE_CHECKING:
    from collections.abc import Sequence

OLDEST_ENGINE = (20, 10)
"""As in Debian 11 and later."""

LEAST_SPACE = 2 * 1024**3
"""Bytes; desktops themselves live in memory, but the engine stops working on a full disk."""


def docker_readiness(engine: Engine, image: str) -> Sequence[Readiness]:
    """Return what desktops in containers need; what needs an engine to be tested is left out where none answers."""
    name = f"Docker engine {'.'.join(map(str, OLDEST_ENGINE))} or later"
    try:
        version = str(engine.info["ServerVersion"])
    except (EngineFault, ConfigError) as error:
        said, _, fix = str(error).partition(": ")
        return [Readiness(name, ready=False, found=said, fix=fix)]
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
    new_enough = numbers >= OLDEST_ENGINE
    return [
        Readiness(name, new_enough, version, "" if new_enough else "install a newer docker.io or docker-ce"),
        _image(engine, image),
        *_limits(engine),
        *_space(engine),
    ]


def _image(engine: Engine, image: str) -> Readiness:
    try:
        size = int(engine.image(image)["Size"])
    except EngineFault as error:
        said, _, fix = str(error).partition(": ")
        return Readiness("desktop image", ready=False, found=said, fix=fix)
    return Readiness("desktop image", ready=True, found=f"{image} ({size / 1e9:.1f} GB)")


def _limits(engine: Engine) -> list[Readiness]:
    lacking = [name for name in ("MemoryLimit", "PidsLimit") if not engine.info.get(name)]
    fix = "enable the memory and pids control groups (kernel option cgroup_enable=memory)" if lacking else ""
    return [Readiness("limits for a container", not lacking, ", ".join(lacking) or "memory, processes", fix)]


def _space(engine: Engine) -> list[Readiness]:
    folder = str(engine.info.get("DockerRootDir", ""))
    free = free_space(folder) if engine.is_here and folder else None
    if free is None:
        return []
    enough = free >= LEAST_SPACE
    fix = "" if enough else "pytest-rogue gc; docker system prune"
    return [Readiness("space on the engine's disk", enough, f"{free / 1e9:.1f} GB free in {folder}", fix)]
