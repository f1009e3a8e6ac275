"""What is typed arrives: any character, in any window; and what cannot be typed is told."""

from __future__ import annotations

import pytest

from tests.guest._guest import Guest, wait_for

pytestmark = pytest.mark.desktop

SAMPLE = 'żółw 日本語 é € <>~"'
EVERY_KEY = "".join(map(chr, range(0x20, 0x7F)))
LONG = (
    "".join(chr(0x4E00 + 7 * n) for n in range(120))
    + " ЖЩЫ ąęśćź ΑΒΓ 🙂 "
    + "".join(chr(0x3041 + n) for n in range(60))
)


def typed_in_editor(guest: Guest, code: str, name: str) -> str:
    """Return what a file holds after `code` typed into an editor and the file was saved."""
    file = guest.home / name
    file.write_text("")
    guest.launch("mousepad", "--disable-server", str(file), window=name)
    try:
        done = guest.run(code)
        assert (done["stderr"], done["exit_code"]) == ("", 0)
        guest.run("pyautogui.hotkey('ctrl', 's')")
        wait_for("the saved file", lambda: file.stat().st_size)
        return file.read_text().removesuffix("\n")
    finally:
        guest.kill("mousepad")


@pytest.mark.parametrize(
    ("name", "text"), [("sample", SAMPLE), ("keys", EVERY_KEY), ("long", LONG), ("lines", "first\n\tsecond <")]
)
def test_text_arrives_intact_in_an_editor(guest: Guest, name: str, text: str) -> None:
    assert typed_in_editor(guest, f"pyautogui.write({text!r})", name) == text


def test_characters_that_change_between_actions_arrive(guest: Guest) -> None:
    code = "".join(f"pyautogui.write({LONG[n:] + chr(10)!r})\n" for n in (0, 40, 80))
    assert typed_in_editor(guest, code, "changing") == "\n".join(LONG[n:] for n in (0, 40, 80))


def test_single_characters_can_be_pressed(guest: Guest) -> None:
    code = "pyautogui.press(['ż', '<', 'A', 'enter', '日'])\npyautogui.keyDown('€')\npyautogui.keyUp('€')"
    assert typed_in_editor(guest, code, "pressed") == "ż<A\n日€"


def test_keys_held_and_combined_arrive(guest: Guest) -> None:
    code = (
        "pyautogui.write('one two')\n"
        "pyautogui.hotkey('ctrl', 'shift', 'left')\n"
        "pyautogui.press('delete')\n"
        "with pyautogui.hold('shift'):\n    pyautogui.press(['home'])\n"
        "pyautogui.write(['T', 'num5', 'space', 'x', 'backspace'])\n"
    )
    assert typed_in_editor(guest, code, "combined") == "T5 "


def test_text_arrives_intact_in_a_terminal(guest: Guest) -> None:
    file = guest.home / "from-terminal"
    guest.launch(
        "xfce4-terminal", "--disable-server", "--title=Typing", "-x", "sh", "-c", f"cat > {file}", window="Typing"
    )
    try:
        guest.run(f"pyautogui.write({SAMPLE + chr(10)!r})\npyautogui.hotkey('ctrl', 'd')")
        wait_for("the typed line", lambda: file.exists() and file.stat().st_size)
        assert file.read_text() == SAMPLE + "\n"
    finally:
        guest.kill("xfce4-terminal")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("pyautogui.press('entr')", "no key named 'entr'; did you mean 'enter'?"),
        ("pyautogui.press('abc')", "to type text, use pyautogui.write()"),
        ("pyautogui.hotkey('ctrl', 'entr')", "no key named 'entr'"),
        ("pyautogui.hotkey(['ctrl', 'entr'])", "no key named 'entr'"),
        ("pyautogui.keyDown('super')", "no key named 'super'"),
        ("pyautogui.write(['a', 'entr'])", "no key named 'entr'"),
        ("pyautogui.write('a\\0b')", "cannot be typed"),
        ("pyautogui.press('f24')", "the key 'f24' is not on this keyboard"),
    ],
)
def test_a_key_that_is_not_there_is_told(guest: Guest, code: str, told: str) -> None:
    done = guest.run(code)
    assert done["exit_code"] == 1
    assert "ValueError: " in done["stderr"]
    assert told in done["stderr"]


def test_nothing_is_typed_of_a_text_with_an_impossible_character(guest: Guest) -> None:
    code = "try:\n    pyautogui.write('lost\\0')\nexcept ValueError:\n    pyautogui.write('kept')"
    assert typed_in_editor(guest, code, "impossible") == "kept"


def test_no_key_stays_held_after_a_wrong_combination(guest: Guest) -> None:
    code = "try:\n    pyautogui.hotkey('ctrl', 'entr')\nexcept ValueError:\n    pyautogui.write('kept')"
    assert typed_in_editor(guest, code, "wrong-combination") == "kept"


LATE_WINDOW_MANAGER = """
import os, signal, subprocess, threading
manager = int(subprocess.run(["pgrep", "-x", "openbox"], capture_output=True, check=True).stdout)
os.kill(manager, signal.SIGSTOP)
threading.Timer(0.3, os.kill, (manager, signal.SIGCONT)).start()
"""


def test_keys_after_a_click_go_to_the_window_that_was_clicked(guest: Guest) -> None:
    (guest.home / "clicked.txt").write_text("")
    clicked = guest.launch("mousepad", "--disable-server", str(guest.home / "clicked.txt"), window="clicked")
    guest.launch("galculator", window="galculator")
    guest.step(None, settle={"quiet": 0.2, "limit": 5})
    x, y = clicked["x"] + clicked["width"] // 2, clicked["y"] + clicked["height"] - 30
    done = guest.run(f"{LATE_WINDOW_MANAGER}\npyautogui.click({x}, {y})\npyautogui.write('all of it')")
    guest.run("pyautogui.hotkey('ctrl', 's')")
    wait_for("the saved file", lambda: (guest.home / "clicked.txt").stat().st_size)
    guest.kill("mousepad", "galculator")
    assert (done["stderr"], done["exit_code"]) == ("", 0)
    assert (guest.home / "clicked.txt").read_text().removesuffix("\n") == "all of it"
