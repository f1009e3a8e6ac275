"""Find a step, a getter, or a metric by the name that the published task files use."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from pytest_rogue.published import protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

_T = TypeVar("_T")


@cache
def steps() -> Mapping[str, type[protocol.Step]]:
    """Return the set-up steps by `type`; all modules of `steps/` are looked through."""
    return _named("steps", protocol.Step, "type")  # type: ignore[type-abstract]


@cache
def getters() -> Mapping[str, type[protocol.Getter]]:
    """Return the getters by `type`."""
    return _named("getters", protocol.Getter, "type")  # type: ignore[type-abstract]


@cache
def metrics() -> Mapping[str, type[protocol.Metric]]:
    """Return the metrics by `func`."""
    return _named("metrics", protocol.Metric, "func")  # type: ignore[type-abstract]


def _named(room: str, base: type[_T], key: str) -> Mapping[str, type[_T]]:
    package = importlib.import_module(f"pytest_rogue.published.{room}")
    found: dict[str, type[_T]] = {}
    for module in pkgutil.iter_modules(package.__path__):
        for thing in vars(importlib.import_module(f"{package.__name__}.{module.name}")).values():
            if isinstance(thing, type) and issubclass(thing, base) and key in vars(thing):
                for name in (getattr(thing, key), *getattr(thing, "aliases", ())):
                    other = found.setdefault(name, thing)
                    assert other is thing, f"{name}: both {other} and {thing}"  # noqa: S101 - our own modules
    return MappingProxyType(found)
