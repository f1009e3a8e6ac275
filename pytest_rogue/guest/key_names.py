"""What the keys are called: pyautogui's names and characters on one side, keysyms of X on the other."""

from __future__ import annotations

import difflib

from Xlib import XK

_NAMES = {
    **{f"f{n}": f"F{n}" for n in range(1, 25)},
    **{f"num{n}": str(n) for n in range(10)},
    **dict.fromkeys(("enter", "return", "\n", "\r"), "Return"),
    **dict.fromkeys(("esc", "escape", "\x1b"), "Escape"),
    **dict.fromkeys(("backspace", "\b"), "BackSpace"),
    **dict.fromkeys(("tab", "\t"), "Tab"),
    **dict.fromkeys(("del", "delete"), "Delete"),
    **dict.fromkeys(("pgup", "pageup"), "Page_Up"),
    **dict.fromkeys(("pgdn", "pagedown"), "Page_Down"),
    **dict.fromkeys(("shift", "shiftleft"), "Shift_L"),
    **dict.fromkeys(("ctrl", "ctrlleft"), "Control_L"),
    **dict.fromkeys(("alt", "altleft", "option", "optionleft"), "Alt_L"),
    **dict.fromkeys(("altright", "optionright"), "Alt_R"),
    **dict.fromkeys(("win", "winleft"), "Super_L"),
    **dict.fromkeys(("print", "prtsc", "prtscr", "prntscrn", "printscreen"), "Print"),
    "add": "KP_Add",
    "apps": "Menu",
    "browserback": "XF86Back",
    "browserforward": "XF86Forward",
    "browserhome": "XF86HomePage",
    "browserrefresh": "XF86Reload",
    "browsersearch": "XF86Search",
    "capslock": "Caps_Lock",
    "ctrlright": "Control_R",
    "decimal": "period",
    "divide": "KP_Divide",
    "down": "Down",
    "end": "End",
    "execute": "Execute",
    "help": "Help",
    "home": "Home",
    "insert": "Insert",
    "left": "Left",
    "multiply": "KP_Multiply",
    "numlock": "Num_Lock",
    "pause": "Pause",
    "right": "Right",
    "scrolllock": "Scroll_Lock",
    "select": "Select",
    "shiftright": "Shift_R",
    "sleep": "XF86Sleep",
    "space": "space",
    "subtract": "KP_Subtract",
    "up": "Up",
    "volumedown": "XF86AudioLowerVolume",
    "volumemute": "XF86AudioMute",
    "volumeup": "XF86AudioRaiseVolume",
    "winright": "Super_R",
}
"""Names of pyautogui -> names of X."""

_MEDIA_KEYSYMS = {
    "XF86Back": 0x1008FF26,
    "XF86Forward": 0x1008FF27,
    "XF86HomePage": 0x1008FF18,
    "XF86Reload": 0x1008FF73,
    "XF86Search": 0x1008FF1B,
    "XF86Sleep": 0x1008FF2F,
    "XF86AudioLowerVolume": 0x1008FF11,
    "XF86AudioMute": 0x1008FF12,
    "XF86AudioRaiseVolume": 0x1008FF13,
}
"""Symbols of XF86keysym.h, which python3-xlib knows only when asked for."""


def keysym(key: str) -> int:
    """Return the keysym of a key's name or of a character.

    The keysym of a character outside Latin-1 is its code point plus 0x01000000 (X Window System Protocol, appendix A).

    Raises:
        ValueError: there is no such key, or no keyboard has such a character.
    """
    name = _NAMES.get(key if len(key) == 1 else key.lower())
    if name:
        return int(XK.string_to_keysym(name) or _MEDIA_KEYSYMS[name])
    if len(key) != 1:
        near = difflib.get_close_matches(key.lower(), _NAMES, n=1, cutoff=0.7)
        hint = f"did you mean {near[0]!r}?" if near else "to type text, use pyautogui.write()"
        raise ValueError(f"there is no key named {key!r}; {hint}")
    code = ord(key)
    if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF:
        return code
    if code < 0x100 or 0xD800 <= code <= 0xDFFF:
        raise ValueError(f"the character {key!r} cannot be typed on any keyboard")
    return 0x01000000 | code
