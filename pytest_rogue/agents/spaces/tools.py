"""Plain function calling: the vocabulary as functions, for any model that can call tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.agents.spaces.calls import parse_calls
from pytest_rogue.agents.spaces.vocabulary import TAG, VOCABULARY, Entry

if TYPE_CHECKING:
    from pytest_rogue.agents.arguments import Arguments
    from pytest_rogue.agents.frame import Frame
    from pytest_rogue.agents.parse import Parsed
    from pytest_rogue.agents.spaces.protocol import View
    from pytest_rogue.interaction import Action
    from pytest_rogue.models.client import Message, Reply, ToolCall


class Tools:
    """The vocabulary as functions.

    Args:
        with_tags: whether a numbered mark may stand for a point.
    """

    prompt = "tools"
    uses_grid_of_native = False
    takes_tags = True

    def __init__(self, *, with_tags: bool = False) -> None:
        self._with_tags = with_tags

    def tools(self, frame: Frame) -> tuple[Message, ...]:
        """Return one function for each action."""
        coordinates = f" Coordinates are {frame.in_words()}."
        return tuple(self._function(name, entry, coordinates) for name, entry in VOCABULARY.items())

    def parse(self, reply: Reply, view: View) -> Parsed:
        """Return the actions of all calls, or none."""
        return parse_calls(reply, view, _actions)

    def answer(self, call: ToolCall, told: str) -> str:  # noqa: ARG002  the same for every call
        """Return the words as they are."""
        return told

    def _function(self, name: str, entry: Entry, coordinates: str) -> Message:
        placed = "x" in entry.parameters
        tagged = placed and self._with_tags
        return {
            "type": "function",
            "function": {
                "name": name.lower(),
                "description": entry.about + (coordinates if placed else ""),
                "parameters": {
                    "type": "object",
                    "properties": {**entry.parameters, **(TAG if tagged else {})},
                    "required": [] if tagged else list(entry.required),
                },
            },
        }


def _actions(arguments: Arguments) -> list[Action]:
    entry = VOCABULARY.get(arguments.action.upper())
    if entry is None:
        raise arguments.mistake("there is no such tool")
    return [entry.build(arguments)]
