"""Judge a value as a published task file does, its options and rules read as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_rogue.published.kinds import metrics
from pytest_rogue.published.protocol import Fetched

if TYPE_CHECKING:
    from pytest_rogue.evaluators.protocol import Finding
    from pytest_rogue.published.protocol import Convention


def judged(func: str, result: object, expected: object = None, *, asked: Any = None, **how: Any) -> Finding:
    """Return what a metric finds, against the rules `asked` or what was `expected`; `how`: options and convention."""
    convention: Convention = how.pop("convention", "ours")
    kind = metrics()[func]
    if asked is not None:
        assert kind.rules is not None
        expected = kind.rules.model_validate_json(json.dumps(asked))
    return kind.model_validate_json(json.dumps(how)).compare(result, expected, convention)


def score(func: str, result: object, expected: object = None, **how: Any) -> float:
    return judged(func, result, expected, **how).score


def file(data: bytes | str, name: str = "result") -> Fetched:
    return Fetched(name, data.encode() if isinstance(data, str) else data)


def gold(data: bytes | str, name: str = "gold") -> Fetched:
    return file(data, name)
