"""What counts as clicks and keys only."""

from __future__ import annotations

import pytest

from pytest_rogue.suite.solutions import is_clicks_and_keys


@pytest.mark.parametrize(
    "code",
    [
        'pyautogui.hotkey("ctrl", "s")',
        'pyautogui.click(10, 20)\npyautogui.write("harbour\\n")',
        "end = time.monotonic() + 5\nwhile pyautogui.pixel(4, 6)[0] < 100 and time.monotonic() < end:\n    pass",
        "for row in range(3):\n    pyautogui.click(100, 20 * row)",
    ],
)
def test_to_look_and_to_click_and_to_type_is(code: str) -> None:
    assert is_clicks_and_keys(["pyautogui.click(1, 1)", code])


@pytest.mark.parametrize(
    "code",
    [
        'open("/home/user/a.txt", "w")',
        "import subprocess\npyautogui.click(1, 1)",
        "from pathlib import Path",
        "__import__('os').remove('a')",
        "print(1)",
        "pyautogui.click(",
    ],
)
def test_to_reach_for_a_file_or_a_program_is_not(code: str) -> None:
    assert not is_clicks_and_keys(["pyautogui.click(1, 1)", code])


def test_nothing_is_not() -> None:
    assert not is_clicks_and_keys([])
