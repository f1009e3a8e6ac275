"""pyautogui code in fenced blocks, run in the desktop (`parse` has the rules by which it is found).

Coordinates are converted there too, because they may come from anywhere in the code: a module that converts takes the
place of pyautogui, see `scaled_pointer`.
"""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from pytest_rogue.agents import scaled_pointer
from pytest_rogue.agents.frame import is_fraction
from pytest_rogue.agents.parse import Parsed, parse_pyautogui
from pytest_rogue.interaction import Action

if TYPE_CHECKING:
    from pytest_rogue.agents.frame import Frame
    from pytest_rogue.agents.spaces.protocol import View
    from pytest_rogue.models.client import Message, Reply, ToolCall

_TAG = re.compile(r"\btag_(\d{1,4})\b")


class PyautoguiCode:
    """Code in fenced blocks."""

    prompt = "pyautogui"
    uses_grid_of_native = False
    takes_tags = True

    def tools(self, frame: Frame) -> tuple[Message, ...]:  # noqa: ARG002  named as in the protocol
        """Return none."""
        return ()

    def parse(self, reply: Reply, view: View) -> Parsed:
        """Return the actions of all blocks, or none."""
        parsed = parse_pyautogui(reply.text, reply.finish_reason)
        mistakes = [mistake for action in parsed.actions for mistake in _mistakes(action.code, view)]
        if mistakes:
            return Parsed(problem="unparsable", feedback=f"Nothing of your reply was done: {mistakes[0]}.")
        return replace(parsed, actions=tuple(_placed(action, view) for action in parsed.actions))

    def answer(self, call: ToolCall, told: str) -> str:  # noqa: ARG002  the same for every call
        """Return the words as they are."""
        return told


def _mistakes(code: str, view: View) -> list[str]:
    unknown = sorted({number for number in map(int, _TAG.findall(code)) if number not in view.tags})
    if view.tags and unknown:
        return [f"there is no tag_{unknown[0]} on this screenshot"]
    if view.frame.grid is None and _clicks_a_fraction(code):
        return [f"(0.5, 0.5) and the like are fractions; coordinates are {view.frame.in_words()}"]
    return []


def _clicks_a_fraction(code: str) -> bool:
    """True where a call of pyautogui has two numbers between 0 and 1 as its point: as pixels both are the corner."""
    if "." not in code.replace("pyautogui.", ""):
        return False
    try:
        calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False  # the desktop's own Python tells what is wrong with it
    return any(_has_fractions(call) for call in calls)


def _has_fractions(call: ast.Call) -> bool:
    function = call.func
    if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
        return False
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    point = [named["x"], named["y"]] if {"x", "y"} <= named.keys() else call.args[:2]
    numbers = [node.value for node in point if isinstance(node, ast.Constant) and isinstance(node.value, int | float)]
    return function.value.id == "pyautogui" and len(numbers) == 2 and is_fraction(numbers[0], numbers[1])


def _placed(action: Action, view: View) -> Action:
    """Return the action with what its code needs in front of it, on one line, so that line numbers are off by one."""
    if action.kind != "python":
        return action
    frame = view.frame
    before = []
    if not frame.is_the_screen:
        before.append(f"exec({_source()!r})")
        before.append(f"pyautogui = Scaled(pyautogui, {frame.screen}, {frame.extent}, {frame.grid is not None})")
    used = sorted(set(map(int, _TAG.findall(action.code))) & view.tags.keys())
    before += [f"tag_{number} = {frame.from_screen(*view.tags[number])}" for number in used]
    return Action.python("; ".join(before) + "\n" + action.code) if before else action


@cache
def _source() -> str:
    return inspect.getsource(scaled_pointer)
