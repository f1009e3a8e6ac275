"""Seeds and what is drawn from them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_rogue.suite.model import Trigger
from pytest_rogue.suite.seeds import case_seed, fix_trigger


def test_the_seed_of_a_case_is_the_same_in_every_process() -> None:
    assert case_seed(1, "replace-client-name", 1) == 382405444


@given(st.integers(), st.text(max_size=20), st.integers(min_value=0))
def test_a_seed_fits_every_api(seed: int, case_id: str, epoch: int) -> None:
    assert 0 <= case_seed(seed, case_id, epoch) < 2**31


def test_seeds_differ_by_run_case_and_epoch() -> None:
    seeds = {case_seed(1, "a", 1), case_seed(2, "a", 1), case_seed(1, "b", 1), case_seed(1, "a", 2)}
    assert len(seeds) == 4


@pytest.mark.parametrize(
    ("trigger", "wire"),
    [
        (Trigger(kind="start"), {"kind": "start"}),
        (Trigger(n=3), {"kind": "after_actions", "n": 3}),
        (Trigger(kind="after_seconds", seconds=1.5), {"kind": "after_seconds", "seconds": 1.5}),
    ],
)
def test_a_fixed_trigger_stays_what_it_is(trigger: Trigger, wire: dict[str, object]) -> None:
    assert fix_trigger(trigger, seed=1) == wire


@given(st.integers(min_value=0, max_value=2**31 - 1))
def test_a_number_of_actions_is_drawn_from_its_range(seed: int) -> None:
    assert fix_trigger(Trigger(n=(2, 5)), seed)["n"] in {2, 3, 4, 5}


@given(st.integers(min_value=0, max_value=2**31 - 1))
def test_seconds_are_drawn_from_their_range(seed: int) -> None:
    assert 4 <= fix_trigger(Trigger(kind="after_seconds", seconds=(4, 9)), seed)["seconds"] <= 9


def test_a_seed_always_draws_the_same() -> None:
    trigger = Trigger(n=(1, 1000))
    assert fix_trigger(trigger, 7) == fix_trigger(trigger, 7)
    assert len({fix_trigger(trigger, seed)["n"] for seed in range(20)}) > 10
