"""What is drawn on a picture follows from what the code says, and from nothing else."""

from __future__ import annotations

import pytest

from pytest_rogue.reporting.gestures import Gesture, gestures_of


@pytest.mark.parametrize(
    ("code", "gesture"),
    [
        ("pyautogui.click(10, 20)", Gesture("click", 10, 20)),
        ("pyautogui.click(x=10, y=20)", Gesture("click", 10, 20)),
        ("pyautogui.click((10, 20))", Gesture("click", 10, 20)),
        ("pyautogui.click(10, 20, clicks=2)", Gesture("click", 10, 20, times=2)),
        ("pyautogui.doubleClick(10, 20)", Gesture("click", 10, 20, times=2)),
        ("pyautogui.rightClick(10, 20)", Gesture("click", 10, 20, text="right")),
        ("pyautogui.click(10, 20, button='middle')", Gesture("click", 10, 20, text="middle")),
        ("pyautogui.moveTo(10.5, 20)", Gesture("move", 10.5, 20)),
        ("pyautogui.scroll(-5, 10, 20)", Gesture("scroll", 10, 20, text="-5")),
        ("pyautogui.write('a word', interval=0.1)", Gesture("type", text="a word")),
        ("pyautogui.typewrite(['a', 'enter'])", Gesture("type", text="a enter")),
        ("pyautogui.hotkey('ctrl', 's')", Gesture("keys", text="ctrl+s")),
        ("pyautogui.press('down', presses=3)", Gesture("keys", text="down", times=3)),
        ("pyautogui.keyDown('shift')", Gesture("keys", text="shift down")),
        ("pyautogui.click()", Gesture("click")),
        ("pyautogui.click(find('button'))", Gesture("click")),
    ],
)
def test_a_call_is_read_with_its_arguments(code: str, gesture: Gesture) -> None:
    assert gestures_of(code) == (gesture,)


def test_gestures_come_in_the_order_of_the_code_also_inside_blocks() -> None:
    code = "import time\nfor _ in range(2):\n    pyautogui.press('tab')\npyautogui.moveTo(5, 6); pyautogui.click()\n"

    assert [gesture.kind for gesture in gestures_of(code)] == ["keys", "move", "click"]
    assert gestures_of(code)[-1] == Gesture("click", 5, 6)


def test_a_drag_begins_where_the_pointer_stood() -> None:
    code = "pyautogui.moveTo(10, 20)\npyautogui.dragTo(30, 40)\npyautogui.dragRel(5, -5)"

    assert gestures_of(code)[1:] == (Gesture("drag", 30, 40, 10, 20), Gesture("drag", 35, 35, 30, 40))


def test_after_a_move_to_an_unknown_place_a_click_has_no_place() -> None:
    assert gestures_of("pyautogui.click(1, 2)\npyautogui.moveTo(a, b)\npyautogui.click()")[-1] == Gesture("click")


@pytest.mark.parametrize(
    "code",
    [
        "pyautogui.click(",
        "pyautogui\x00",
        "# pyautogui.click(1, 2)",
        "print('pyautogui.click(1, 2)')",
        "pyautogui.size()",
        "pyautogui." + "(" * 5000,
        "pyautogui.click(1, 2)" + " " * 100_001,
    ],
    ids=["half a call", "a null byte", "a comment", "a text", "no gesture", "deep", "long"],
)
def test_what_is_no_gesture_or_no_code_gives_nothing(code: str) -> None:
    assert gestures_of(code) == ()


def test_a_stray_backslash_does_not_warn() -> None:
    assert gestures_of(r"pyautogui.write('\d')") == (Gesture("type", text=r"\d"),)
