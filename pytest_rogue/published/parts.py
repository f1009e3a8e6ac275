"""Make a step, a getter, or a metric of what a task file says, or say in one sentence why it is none.

The files of a suite repeat themselves: each distinct part is validated once.
"""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from pytest_rogue.published import kinds
from pytest_rogue.suite.complaints import Place, closest, sentences, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_rogue.published.protocol import Getter, Metric, Step

_M = TypeVar("_M", bound=BaseModel)


class PartError(Exception):
    """A part is wrong.

    Args:
        place: keys that lead to what is wrong, from the part on.
        said: one sentence.
    """

    def __init__(self, place: Place, said: str) -> None:
        super().__init__(said)
        self.place = place
        self.said = said


@contextmanager
def at(*place: int | str) -> Iterator[None]:
    """Put `place` in front of the place of what is found to be wrong."""
    try:
        yield
    except PartError as error:
        raise PartError((*place, *error.place), error.said) from None


@dataclass(frozen=True, slots=True)
class Kinds:
    """The parts there are, by the names that task files use."""

    steps: Mapping[str, type[Step]]
    getters: Mapping[str, type[Getter]]
    metrics: Mapping[str, type[Metric]]
    _made: dict[tuple[type[BaseModel], str], BaseModel | PartError] = field(default_factory=dict, repr=False)

    def step(self, name: str, parameters: Mapping[str, Any]) -> Step:
        """Return a set-up step.

        Raises:
            PartError: there is none of that name, or it does not take these parameters.
        """
        kind = _known(self.steps, name, "set-up step", "type")
        with at("parameters"):
            return self.make(kind, parameters)

    def getter(self, said: Mapping[str, Any]) -> Getter:
        """Return what brings a value.

        Raises:
            PartError: there is none of that type, or it does not take these keys.
        """
        kind = _known(self.getters, said.get("type"), "getter", "type")
        return self.make(kind, {key: value for key, value in said.items() if key != "type"})

    def metric(self, name: str) -> type[Metric]:
        """Return what judges a value.

        Raises:
            PartError: there is none of that name.
        """
        return _known(self.metrics, name, "metric")

    def make(self, kind: type[_M], fields: Any) -> _M:
        """Return an instance of `kind` with these fields as they stand in JSON, the same one for the same fields.

        Raises:
            PartError: they are wrong.
        """
        source = json.dumps(fields)
        made = self._made.get((kind, source))
        if made is None:
            made = self._made[kind, source] = _validated(kind, source)
        if isinstance(made, PartError):
            raise made
        return cast("_M", made)


@cache
def own_kinds() -> Kinds:
    """Return the parts of the rooms `steps`, `getters` and `metrics`."""
    return Kinds(kinds.steps(), kinds.getters(), kinds.metrics())


def place_in(data: object, place: Place) -> Place:
    """Return those keys of a place that lead through `data`: pydantic adds the kinds of value it has tried."""
    real: list[int | str] = []
    for part in place:
        try:
            data = cast("Any", data)[part]
        except (TypeError, LookupError):
            continue
        real.append(part)
    return tuple(real)


def _validated(kind: type[_M], source: str) -> _M | PartError:
    try:
        # JSON mode, since strict validation takes an array for a tuple only there.
        return kind.model_validate_json(source)
    except ValidationError as error:
        place, said = sentences(error, lambda _: kind.model_fields)[0]
        real = place_in(json.loads(source), place)
        missing = "".join(f"{part}: " for part in place[-1:] if place[len(real) :] == (part,))
        return PartError(real, f"{missing}{said}")
    except (re.error, OverflowError) as error:
        return PartError((), f"this cannot be used: {error}")


_T = TypeVar("_T")


def _known(known: Mapping[str, type[_T]], name: object, what: str, *place: str) -> type[_T]:
    if not isinstance(name, str):
        raise PartError((), f"a {what} is named by its {'.'.join(place)}, a text, found {shown(name)}")
    if name not in known:
        hint = closest(name, known) if known else "none are known"
        raise PartError(place, f"there is no {what} {shown(name)}; {hint}")
    return known[name]
