"""Typing that arrives: every Unicode character, every key where it really is, and no unknown name without a word.

pyautogui looks keys up in a table of its own, made for one US keyboard: characters outside it are dropped silently,
and so are misspelt key names. Here the keymap of the X server is asked. Characters that no key has are put on spare
keys first, many at a time, because every change makes the window manager and all programs read the keymap again. They
stay there: a program reads the keymap when it handles a key press, so a key may get another character only when the
program is known to have handled what was typed before.
"""

from __future__ import annotations

import functools
import inspect
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from Xlib import XK, X
from Xlib.ext.xtest import fake_input
from Xlib.protocol import event

from . import key_names
from .focus import wait_for_focus
from .xserver import read_property, wait_for_event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from Xlib.display import Display

_SPARE_KEYS = range(208, 256)
"""Keys (in the numbering of evdev) that start programs or steer media players, which no desktop here has a use for."""
_ANSWER_LIMIT = 0.3
"""Seconds a program may take to say that it has handled all keys; many never answer."""


class Place(NamedTuple):
    """Where a character is on the keyboard."""

    keycode: int
    shifted: bool


class Keyboard:
    """Presses and releases keys by pyautogui's names or by character, on one connection to the X server."""

    def __init__(self, display: Display) -> None:
        self._display = display
        first = display.display.info.min_keycode
        count = display.display.info.max_keycode - first + 1
        keymap = dict(enumerate(display.get_keyboard_mapping(first, count), start=first))
        self._places: dict[int, Place] = {}
        for level in (1, 0):
            for keycode in sorted(keymap, reverse=True):
                self._places[keymap[keycode][level]] = Place(keycode, bool(level))
        used = [keycode for keycode in _SPARE_KEYS if any(keymap.get(keycode, ()))]
        self._next_spare = used[-1] + 1 if used else _SPARE_KEYS.start
        self._coming: deque[int] = deque()
        self._focus_may_move = False

    def clear_spare_keys(self) -> None:
        """Take from the spare keys what they had; done once, when the desktop starts."""
        self._display.change_keyboard_mapping(_SPARE_KEYS.start, [[X.NoSymbol] * 2] * len(_SPARE_KEYS))
        self._display.sync()

    def expect(self, keys: Iterable[str]) -> None:
        """Hear of keys that are going to be pressed in this order.

        Raises:
            ValueError: one of them cannot be.
        """
        self._coming = deque([self._keysym(key) for key in keys])

    def follow_click(self) -> None:
        """Hear of a click, after which another window may have the focus."""
        self._focus_may_move = True

    def press(self, key: str) -> None:
        """Press a key; shift is held for it where needed and not held already."""
        keysym = self._keysym(key)
        if self._focus_may_move:
            self._focus_may_move = False
            wait_for_focus(self._display)
        if keysym not in self._places:
            self._put_on_spare_keys(keysym)
        if self._coming and self._coming[0] == keysym:
            self._coming.popleft()
        place = self._places[keysym]
        shift = self._places[XK.XK_Shift_L].keycode
        needs_shift = place.shifted and not self._display.screen().root.query_pointer().mask & X.ShiftMask
        if needs_shift:
            fake_input(self._display, X.KeyPress, shift)
        fake_input(self._display, X.KeyPress, place.keycode)
        if needs_shift:
            fake_input(self._display, X.KeyRelease, shift)
        self._display.sync()

    def release(self, key: str) -> None:
        """Release a key."""
        keysym = self._keysym(key)
        if place := self._places.get(keysym):
            fake_input(self._display, X.KeyRelease, place.keycode)
            self._display.sync()

    def _keysym(self, key: str) -> int:
        """Return the keysym of a key or character.

        Raises:
            ValueError: there is no such key, or not on this keyboard.
        """
        keysym = key_names.keysym(key)
        if len(key) > 1 and keysym not in self._places:
            raise ValueError(f"the key {key!r} is not on this keyboard")
        return keysym

    def _put_on_spare_keys(self, keysym: int) -> None:
        """Put a character on a spare key, and with it as many of those to come as there is room for."""
        if self._next_spare == _SPARE_KEYS.stop:
            _wait_handled(self._display)
            self._next_spare = _SPARE_KEYS.start
        start = self._next_spare
        missing = [symbol for symbol in dict.fromkeys((keysym, *self._coming)) if symbol not in self._places]
        missing = missing[: _SPARE_KEYS.stop - start]
        self._next_spare = start + len(missing)
        taken = range(start, self._next_spare)
        self._places = {symbol: place for symbol, place in self._places.items() if place.keycode not in taken}
        self._places.update(
            {symbol: Place(keycode, shifted=False) for symbol, keycode in zip(missing, taken, strict=True)}
        )
        self._display.change_keyboard_mapping(start, [[symbol, symbol] for symbol in missing])
        self._display.sync()


def _wait_handled(display: Display) -> None:
    """Wait until the active window has handled all keys, or does not say so for `_ANSWER_LIMIT` seconds.

    It is asked whether it is alive (EWMH `_NET_WM_PING`), which it answers after all that it got before.
    """
    root = display.screen().root
    active = read_property(display, root, "_NET_ACTIVE_WINDOW")
    if active is None or not active[0]:
        return
    window = display.create_resource_object("window", active[0])
    protocols, ping = display.intern_atom("WM_PROTOCOLS"), display.intern_atom("_NET_WM_PING")
    root.change_attributes(event_mask=X.SubstructureNotifyMask)
    note = event.ClientMessage(window=window, client_type=protocols, data=(32, [ping, X.CurrentTime, window.id, 0, 0]))
    window.send_event(note, event_mask=0)
    display.flush()
    wait_for_event(display, lambda got: got.type == X.ClientMessage and got.data[1][0] == ping, _ANSWER_LIMIT)
    root.change_attributes(event_mask=0)
    display.sync()


def install(pyautogui: Any) -> None:
    """Let pyautogui press keys through `Keyboard`, on whatever connection it uses at that time."""
    platform = pyautogui.platformModule
    click = platform._mouseDown  # noqa: SLF001

    @functools.cache
    def keyboard(display: Display) -> Keyboard:
        return Keyboard(display)

    def followed_click(*place: Any) -> None:
        click(*place)
        keyboard(platform._display).follow_click()  # noqa: SLF001

    platform._mouseDown = followed_click  # noqa: SLF001
    platform._keyDown = lambda key: keyboard(platform._display).press(key)  # noqa: SLF001
    platform._keyUp = lambda key: keyboard(platform._display).release(key)  # noqa: SLF001

    inside = False  # a function of pyautogui that others of it have called

    def announced(function: Callable[..., Any]) -> Callable[..., Any]:
        """Name all keys before the first is pressed, so that none stays held because of a later one."""
        signature = inspect.signature(function)
        first = next(iter(signature.parameters))

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            nonlocal inside
            if inside:
                return function(*args, **kwargs)
            value = signature.bind(*args, **kwargs).arguments.get(first, ())
            keyboard(platform._display).expect(_keys(function.__name__, value))  # noqa: SLF001
            inside = True
            try:
                return function(*args, **kwargs)
            finally:
                inside = False

        return wrapper

    for name in ("keyDown", "keyUp", "press", "hold", "hotkey", "typewrite"):
        setattr(pyautogui, name, announced(getattr(pyautogui, name)))
    pyautogui.write, pyautogui.shortcut = pyautogui.typewrite, pyautogui.hotkey


def _keys(function: str, argument: Any) -> Iterable[str]:
    """Return the keys that the first argument of a function of pyautogui means."""
    if function == "hotkey" and len(argument) == 1 and not isinstance(argument[0], str):
        return argument[0]  # type: ignore[no-any-return]
    if isinstance(argument, str) and function != "typewrite":
        return (argument,)
    return argument  # type: ignore[no-any-return]
