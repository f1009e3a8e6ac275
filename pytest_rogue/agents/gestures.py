"""What a hand does with mouse and keyboard, as actions. Every action space but code is made of these.

Points are pixels of the screen; None means where the pointer is. All words are quoted: nothing of a reply becomes code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.interaction import Action

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.agents.frame import Point

BUTTONS = ("left", "middle", "right")


def move(at: Point) -> Action:
    """Move the pointer."""
    return Action.python(f"pyautogui.moveTo({at[0]}, {at[1]})")


def click(at: Point | None, *, button: str = "left", times: int = 1, held: Sequence[str] = ()) -> Action:
    """Click, with keys held down."""
    place = f"{at[0]}, {at[1]}, " if at else ""
    pause = ", interval=0.05" if times > 1 else ""
    return _while_held(held, [f"pyautogui.click({place}clicks={times}, button={button!r}{pause})"])


def press_button(at: Point | None, button: str = "left") -> Action:
    """Press a mouse button and keep it down."""
    return Action.python("\n".join([*_to(at), f"pyautogui.mouseDown(button={button!r})"]))


def release_button(at: Point | None, button: str = "left") -> Action:
    """Let go of a mouse button."""
    return Action.python("\n".join([*_to(at), f"pyautogui.mouseUp(button={button!r})"]))


def drag(path: Sequence[Point], *, button: str = "left", held: Sequence[str] = ()) -> Action:
    """Drag along a path; from where the pointer is to the one point of a path that has no other."""
    start, rest = (path[0], path[1:]) if len(path) > 1 else (None, path)
    lines = [
        *_to(start),
        f"pyautogui.mouseDown(button={button!r})",
        *(f"pyautogui.moveTo({x}, {y}, duration=0.3)" for x, y in rest),
        f"pyautogui.mouseUp(button={button!r})",
    ]
    return _while_held(held, lines)


def scroll(at: Point | None, *, right: int = 0, down: int = 0, held: Sequence[str] = ()) -> Action:
    """Turn the wheel by so many clicks; negative ones go left and up."""
    lines = _to(at)
    if down or not right:
        lines.append(f"pyautogui.scroll({-down})")
    if right:
        lines.append(f"pyautogui.hscroll({right})")
    return _while_held(held, lines)


def write(text: str) -> Action:
    """Type a text."""
    return Action.python(f"pyautogui.write({text!r})")


def press(keys: Sequence[str]) -> Action:
    """Press keys together, and let go of them."""
    function = "hotkey" if len(keys) > 1 else "press"
    return Action.python(f"pyautogui.{function}({', '.join(map(repr, keys))})")


def hold(keys: Sequence[str], seconds: float) -> Action:
    """Hold keys down for a time."""
    return _while_held(keys, [f"time.sleep({seconds:g})"])


def key_down(key: str) -> Action:
    """Press a key and keep it down."""
    return Action.python(f"pyautogui.keyDown({key!r})")


def key_up(key: str) -> Action:
    """Let go of a key."""
    return Action.python(f"pyautogui.keyUp({key!r})")


def look() -> Action:
    """Do nothing; the screen is shown again after every turn."""
    return Action.wait(0)


def where() -> Action:
    """Tell where the pointer is."""
    return Action.python("print(pyautogui.position())")


def _to(at: Point | None) -> list[str]:
    return [f"pyautogui.moveTo({at[0]}, {at[1]})"] if at else []


def _while_held(keys: Sequence[str], lines: list[str]) -> Action:
    if not keys:
        return Action.python("\n".join(lines))
    return Action.python("\n".join([f"with pyautogui.hold({list(keys)!r}):", *(f"    {line}" for line in lines)]))
