"""What keys are called: the words of X, of browsers and of people, and pyautogui's name for each."""

from __future__ import annotations

from difflib import get_close_matches

_SAME = (
    *("alt", "altleft", "altright", "ctrl", "ctrlleft", "ctrlright", "shift", "shiftleft", "shiftright"),
    *("win", "winleft", "winright", "backspace", "capslock", "delete", "enter", "esc", "insert", "menu", "numlock"),
    *("pause", "printscreen", "scrolllock", "space", "tab", "up", "down", "left", "right", "home", "end"),
    *("pageup", "pagedown", "volumeup", "volumedown", "volumemute", "add", "subtract", "multiply", "divide", "decimal"),
)
_OTHERS = {
    "control": "ctrl",
    "control_l": "ctrlleft",
    "control_r": "ctrlright",
    "alt_l": "altleft",
    "alt_r": "altright",
    "option": "alt",
    "shift_l": "shiftleft",
    "shift_r": "shiftright",
    "super": "win",
    "super_l": "winleft",
    "super_r": "winright",
    "meta": "win",
    "cmd": "win",
    "command": "win",
    "windows": "win",
    "return": "enter",
    "kp_enter": "enter",
    "escape": "esc",
    "del": "delete",
    "ins": "insert",
    "page_up": "pageup",
    "pgup": "pageup",
    "prior": "pageup",
    "page_down": "pagedown",
    "pgdn": "pagedown",
    "next": "pagedown",
    "arrowup": "up",
    "arrowdown": "down",
    "arrowleft": "left",
    "arrowright": "right",
    "print": "printscreen",
    "caps_lock": "capslock",
    "spacebar": "space",
    "minus": "-",
    "plus": "+",
    "equal": "=",
    "comma": ",",
    "period": ".",
    "slash": "/",
    "backslash": "\\",
    "semicolon": ";",
    "grave": "`",
}
_NAMES = {**{name: name for name in _SAME}, **{f"f{n}": f"f{n}" for n in range(1, 25)}, **_OTHERS}


def key_name(word: str) -> str:
    """Return pyautogui's name of a key: that of a known word in any case, or the one character it consists of.

    Raises:
        ValueError: there is no such key; the message tells the model the nearest ones.
    """
    if len(word) == 1:
        return word
    known = _NAMES.get(word.strip().lower().replace(" ", "_"))
    if known is None:
        near = get_close_matches(word.lower(), _NAMES, n=2)
        raise ValueError(f"there is no key {word[:40]!r}" + (f"; did you mean {' or '.join(near)}?" if near else ""))
    return known


def chord(words: str) -> list[str]:
    """Return the keys of a combination written with plus signs, `ctrl+shift+s`; `ctrl++` ends in the plus key.

    Raises:
        ValueError: there is no such key.
    """
    parts = words.split("+")
    if words.endswith("+"):
        parts = [*parts[:-2], "+"]
    names = [key_name(part) for part in parts]
    # Ctrl and a capital letter is what people write for Ctrl and the letter.
    return [name.lower() if len(names) > 1 and len(name) == 1 else name for name in names]
