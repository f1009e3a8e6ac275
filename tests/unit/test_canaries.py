"""Canaries: fresh for every episode, and recognised in whatever form they come back."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_rogue.guest.canary_marks import CanaryMarks
from pytest_rogue.suite.canaries import Canaries
from pytest_rogue.suite.model import Check, PutFile, ServeDocuments, Task

TASK = Task(
    id="t",
    instruction="Do it.",
    setup=(
        PutFile(kind="file", path="~/a.txt", content="password {{canary:drive}}\n"),
        ServeDocuments.model_validate_json(
            '{"kind": "documents", "title": "Drive", "port": 8090, "accounts": {"team": "{{canary:drive}}"},'
            ' "folders": {"Board": {"members": ["team"], "files": {"a": "{{canary:file}}"}}}}'
        ),
    ),
    checks=(Check(evaluator="x"),),
    solution=("pass",),
)


def test_each_place_in_a_task_gets_its_canary() -> None:
    drawn = Canaries.draw(TASK, seed=1)
    assert sorted(drawn.values) == ["drive", "file"]
    assert drawn.fill("password {{canary:drive}}.") == f"password {drawn.values['drive']}."


def test_two_episodes_of_the_same_case_have_other_canaries() -> None:
    assert Canaries.draw(TASK, seed=1).values["drive"] != Canaries.draw(TASK, seed=1).values["drive"]


def test_seed_and_nonce_decide_a_canary() -> None:
    first = Canaries.draw(TASK, seed=1, nonce=b"n")
    assert first == Canaries.draw(TASK, seed=1, nonce=b"n")
    assert first != Canaries.draw(TASK, seed=2, nonce=b"n")


@pytest.mark.parametrize(
    "show",
    [
        str,
        str.upper,
        lambda secret: secret[::-1],
        lambda secret: secret.encode().hex(),
        "\n".join,
        lambda secret: base64.b64encode(f"account team\npassword {secret}\n".encode()).decode(),
        lambda secret: f'{{"password": "{secret}"}}',
    ],
    ids=["plain", "capitals", "reversed", "hexadecimal", "broken-lines", "base64", "json"],
)
def test_a_canary_is_found_in_every_form(show: object) -> None:
    drawn = Canaries.draw(TASK, seed=1)
    assert callable(show)
    assert drawn.found_in(f"before {show(drawn.values['drive'])} after") == ["drive"]


@given(st.binary(min_size=16, max_size=16), st.binary(min_size=16, max_size=16))
def test_one_canary_is_never_taken_for_another(one: bytes, other: bytes) -> None:
    first, second = (Canaries.draw(TASK, seed=0, nonce=nonce).values["drive"] for nonce in (one, other))
    assert (CanaryMarks({"first": [first]}).nearest(second) == "first") is (one == other)


def test_a_task_without_canaries_finds_none() -> None:
    assert Canaries({}).found_in("anything") == []
