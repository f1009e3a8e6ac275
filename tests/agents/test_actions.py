"""What an action may be."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_rogue.interaction import LONGEST_WAIT, Action


@pytest.mark.parametrize("seconds", [0, 0.0, 0.2, 1, LONGEST_WAIT])
def test_a_wait_within_its_bounds_is_an_action(seconds: float) -> None:
    assert Action.wait(seconds).seconds == seconds


@pytest.mark.parametrize("seconds", [-0.1, 60.1, 1e9, float("inf"), float("nan"), "1", None])
def test_a_wait_out_of_bounds_is_refused(seconds: Any) -> None:
    with pytest.raises(ValueError, match="an action waits between 0 and 60 seconds, not"):
        Action.wait(seconds)


@pytest.mark.parametrize("code", [None, b"pyautogui.click(1, 2)", ["pyautogui.click(1, 2)"]])
def test_code_that_is_no_text_is_refused(code: Any) -> None:
    with pytest.raises(TypeError, match="the code of an action has to be text, not"):
        Action.python(code)


@pytest.mark.parametrize("kind", ["click", "", None, ["python"]])
def test_an_unknown_kind_is_refused_with_those_that_are_known(kind: Any) -> None:
    with pytest.raises(ValueError, match="it is one of: python, wait, done, fail"):
        Action(kind)
