"""OSWorld's `computer_13`: actions as JSON objects, in fenced blocks or as the whole reply.

A reply is executed as a whole or not at all: every block is read, in order, as one object, a list of objects, or one of
the words WAIT, DONE and FAIL.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_rogue.agents.arguments import Arguments, MistakeError
from pytest_rogue.agents.parse import Parsed, failed, fenced_blocks, special_word, up_to_the_end
from pytest_rogue.agents.spaces.vocabulary import VOCABULARY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_rogue.agents.frame import Frame
    from pytest_rogue.agents.spaces.protocol import View
    from pytest_rogue.interaction import Action
    from pytest_rogue.models.client import Message, Reply, ToolCall

_LANGUAGES = frozenset({"", "json"})
_FORM = '{"action_type": "CLICK", "parameters": {"x": 640, "y": 360}}'


class Computer13:
    """Actions as JSON."""

    prompt = "computer_13"
    uses_grid_of_native = False
    takes_tags = True

    def tools(self, frame: Frame) -> tuple[Message, ...]:  # noqa: ARG002  named as in the protocol
        """Return none."""
        return ()

    def parse(self, reply: Reply, view: View) -> Parsed:
        """Return the actions of all blocks, or none."""
        alone = special_word(reply.text)
        blocks = fenced_blocks(reply.text)
        if not all(block.closed for block in blocks):
            return failed("truncated")
        if alone and not blocks:
            return Parsed((alone,))
        bodies = [block.body for block in blocks if block.body.strip()] or [reply.text]
        if not any(body.strip() for body in bodies):
            return failed("truncated" if reply.finish_reason == "length" else "empty")
        foreign = [block.language for block in blocks if block.language not in _LANGUAGES]
        if foreign:
            feedback = f"Only JSON is executed. Your reply held a {foreign[0][:40]!r} block, so nothing was done."
            return Parsed(problem="unparsable", feedback=feedback)
        try:
            return Parsed(tuple(up_to_the_end(action for body in bodies for action in _actions(body, view))))
        except MistakeError as error:
            if reply.finish_reason == "length":
                return failed("truncated")
            return Parsed(problem="unparsable", feedback=f"Nothing of your reply was done: {error}.")

    def answer(self, call: ToolCall, told: str) -> str:  # noqa: ARG002  the same for every call
        """Return the words as they are."""
        return told


def _actions(body: str, view: View) -> Iterator[Action]:
    word = special_word(body)
    if word is not None:
        yield word
        return
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise MistakeError(f"an action has to be JSON, for instance {_FORM}") from None
    listed = given if isinstance(given, list) else [given]
    if not listed:
        raise MistakeError("the list of actions is empty")
    for one in listed:
        yield action_of(one, view)


def action_of(given: Any, view: View) -> Action:
    """Return the action that an object or a word asks for.

    Args:
        given: anything JSON has; the parameters may stand in `parameters` or beside `action_type`.
        view: what the model was shown.

    Raises:
        MistakeError: it is no action of the vocabulary.
    """
    values = {"action_type": given} if isinstance(given, str) else given
    if not isinstance(values, dict) or not isinstance(values.get("action_type"), str):
        raise MistakeError(f"an action needs an action_type, for instance {_FORM}")
    name = values["action_type"].strip().upper()
    entry = VOCABULARY.get(name)
    if entry is None:
        raise MistakeError(f"there is no action {name[:40]!r}; choose one of {', '.join(VOCABULARY)}")
    parameters = values.get("parameters")
    if parameters is None:
        parameters = {key: value for key, value in values.items() if key != "action_type"}
    if not isinstance(parameters, dict):
        raise MistakeError(f"the parameters of {name} are not a JSON object")
    return entry.build(Arguments(name, parameters, view.frame, view.tags))
