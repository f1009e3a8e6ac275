"""Turns that do the same to the same screen."""

from __future__ import annotations

from pytest_rogue.episode.repetition import Repetition
from pytest_rogue.interaction import Action

CLICK = (Action.python("pyautogui.click(1, 2)"),)


def told(*turns: tuple[tuple[Action, ...], bytes | None]) -> list[bool]:
    repetition = Repetition()
    return [bool(repetition.note(actions, screen)) for actions, screen in turns]


def test_the_third_turn_in_a_row_that_changes_nothing_is_told() -> None:
    assert told(*[(CLICK, b"a")] * 4) == [False, False, True, True]


def test_how_often_is_told() -> None:
    repetition = Repetition()
    words = [repetition.note(CLICK, b"a") for _ in range(4)][-1]
    assert words == "your last 4 turns did the same, and the screen looked the same after each of them."


def test_another_screen_or_another_action_begins_anew() -> None:
    other = (Action.python("pyautogui.click(3, 4)"),)
    assert told((CLICK, b"a"), (CLICK, b"a"), (CLICK, b"b"), (CLICK, b"b"), (other, b"b"), (CLICK, b"b")) == [False] * 6


def test_waiting_is_no_repetition() -> None:
    assert told(*[((Action.wait(),), b"a")] * 5) == [False] * 5


def test_a_screen_that_is_not_known_is_not_the_same() -> None:
    assert told(*[(CLICK, None)] * 5) == [False] * 5
