"""A task file in which something was changed still loads, or is refused in one sentence that names it."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_rogue.errors import TaskError
from pytest_rogue.published.loading import Checkout
from pytest_rogue.published.parts import Kinds, own_kinds
from tests.published.small_checkout import KINDS, TASK
from tests.published.upstream_data import checkout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ODD: list[Any] = [
    None,
    True,
    -1,
    10**400,
    1e308,
    "",
    "\0",
    "(unclosed[",
    "../../../etc/passwd",
    "\ud800",
    "x" * 100_000,
    [],
    {},
    [[[[[[[[[[[[]]]]]]]]]]]],
    {"type": "nothing"},
    {"type": 1, "parameters": []},
    ["and", 2],
]
KEYS = ["type", "func", "rules", "parameters", "command", "nonsense", ""]


def places(data: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of every value in it."""
    steps = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in steps:
        yield (*place, key)
        yield from places(value, (*place, key))


def mutated(source: dict[str, Any], choose: int, how: int, key: str, value: Any) -> str:
    """Return the file with one value replaced, deleted or doubled, one key renamed or added, or nested deeply."""
    data = copy.deepcopy(source)
    found = list(places(data))
    *above, last = found[choose % len(found)]
    holder: Any = data
    for part in above:
        holder = holder[part]
    match how % 6:
        case 0:
            holder[last] = value
        case 1:
            del holder[last]
        case 2 if isinstance(holder, dict):
            holder[key] = holder.pop(last)
        case 3 if isinstance(holder, dict):
            holder[key] = value
        case 4:
            holder[last] = [holder[last], holder[last]]
        case _:
            holder[last] = "DEEP"
            return json.dumps(data).replace('"DEEP"', "[" * 3000 + "]" * 3000)
    return json.dumps(data)


def load_or_refuse(text: str, path: Path, kinds: Kinds) -> None:
    path.write_text(text)
    try:
        Checkout(path.parent, kinds).load(path, name="t")
    except TaskError as error:
        said = str(error)
        assert said.startswith(f"{path}:"), said
        assert "\n" not in said, said


MUTATION = (st.integers(0, 10_000), st.integers(0, 5), st.sampled_from(KEYS), st.sampled_from(ODD))


@settings(max_examples=200)
@given(*MUTATION)
@example(0, 5, "", None)
def test_a_small_task_file_loads_or_is_refused_in_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, choose: int, how: int, key: str, value: Any
) -> None:
    path = tmp_path_factory.getbasetemp() / "small.json"
    load_or_refuse(mutated(TASK | {"id": "small"}, choose, how, key, value), path, KINDS)


def _published() -> list[Path]:
    found = checkout()
    return sorted((found / "evaluation_examples" / "examples").glob("*/*.json")) if found else []


@pytest.mark.skipif(not _published(), reason="no checkout of the published benchmark here (ROGUE_CHECKOUT)")
@settings(max_examples=200)
@given(st.integers(0, 10_000), *MUTATION)
def test_a_published_task_file_loads_or_is_refused_in_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, file: int, choose: int, how: int, key: str, value: Any
) -> None:
    files = _published()
    source = files[file % len(files)]
    path = tmp_path_factory.getbasetemp() / source.name
    load_or_refuse(mutated(json.loads(source.read_text()), choose, how, key, value), path, own_kinds())
