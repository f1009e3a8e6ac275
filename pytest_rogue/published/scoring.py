"""From what a task file says of its steps and its evaluator to the parts that do it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_rogue.published.parts import Kinds, PartError, at
from pytest_rogue.published.task import Measure, Scoring

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic import BaseModel

    from pytest_rogue.published.protocol import Getter, Metric, Step
    from pytest_rogue.published.task_file import SaidEvaluator, SaidStep

INFEASIBLE = "infeasible"
"""The metric of a task that cannot be done: declining it is right."""

RULE = "rule"
"""Type of an expected value that stands in the file; its form is the metric's."""

Side = dict[str, Any] | tuple[dict[str, Any] | None, ...] | None
"""What a file says of `result`, `expected` or `options`: for one metric, or a list for several."""


def read_steps(said: Sequence[SaidStep], kinds: Kinds, *place: str) -> Iterator[Step]:
    """Yield the set-up steps.

    Raises:
        PartError: one is wrong.
    """
    for number, step in enumerate(said):
        with at(*place, number):
            yield kinds.step(step.type, step.parameters)


def read_scoring(said: SaidEvaluator, kinds: Kinds) -> Scoring:
    """Return how the job is judged.

    Raises:
        PartError: a part of it is wrong, or what belongs together does not fit.
    """
    postconfig = tuple(read_steps(said.postconfig, kinds, "postconfig"))
    if said.func != INFEASIBLE:
        return Scoring(tuple(_measures(said, kinds)), said.conj, postconfig)
    if said.result or said.expected or said.options:
        raise PartError((), "a task that cannot be done has nothing to compare")
    return Scoring(postconfig=postconfig)


def _measures(said: SaidEvaluator, kinds: Kinds) -> Iterator[Measure]:
    several = isinstance(said.func, tuple)
    funcs = said.func if isinstance(said.func, tuple) else (said.func,)
    if not funcs:
        raise PartError(("func",), "a list of metrics names at least one")
    sides = {
        key: _one_each(key, side, funcs, several)
        for key, side in (("result", said.result), ("expected", said.expected), ("options", said.options))
    }
    for number, func in enumerate(funcs):
        here = (number,) if several else ()
        with at("func", *here):
            metric = kinds.metric(func)
        with at("options", *here):
            judge = kinds.make(metric, sides["options"][number] or {})
        with at("result", *here):
            result = _getter(sides["result"][number], kinds)
        with at("expected", *here):
            yield Measure(judge, result, _expected(sides["expected"][number], metric, kinds))


def _one_each(key: str, side: Side, funcs: Sequence[str], several: bool) -> Sequence[Mapping[str, Any] | None]:
    if side is None:
        return (None,) * len(funcs)
    if not several and isinstance(side, dict):
        return (side,)
    if not several or not isinstance(side, tuple):
        raise PartError((key,), "this is an object for one metric, and a list for a list of metrics")
    if len(side) != len(funcs):
        raise PartError((key,), f"there are {len(side)} entries for {len(funcs)} metrics")
    return side


def _getter(said: Mapping[str, Any] | None, kinds: Kinds) -> Getter:
    if said is None:
        raise PartError((), "nothing says where the value comes from")
    return kinds.getter(said)


def _expected(said: Mapping[str, Any] | None, metric: type[Metric], kinds: Kinds) -> Getter | BaseModel | None:
    if said is None:
        if metric.rules is not None:
            raise PartError((), f"{metric.func} needs something to compare with")
        return None
    if said.get("type") != RULE:
        return kinds.getter(said)
    if metric.rules is None:
        raise PartError(("type",), f"{metric.func} takes no rule")
    if said.keys() != {"type", "rules"}:
        raise PartError((), "a rule has the keys type and rules, and no other")
    with at("rules"):
        return kinds.make(metric.rules, said["rules"])
