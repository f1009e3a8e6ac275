"""What all action spaces with tool calls have in common: every call is read before the first one counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.agents.arguments import Arguments, MistakeError
from pytest_rogue.agents.parse import Parsed, failed, special_word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_rogue.agents.spaces.protocol import View
    from pytest_rogue.interaction import Action
    from pytest_rogue.models.client import Reply

NO_CALL = (
    "Your reply held no tool call, so nothing was done. Use a tool, or write DONE or FAIL on a line of its own at the "
    "end of your reply."
)


def parse_calls(reply: Reply, view: View, read: Callable[[Arguments], Sequence[Action]]) -> Parsed:
    """Return the actions of all calls, in order, up to the first that ends the episode.

    Args:
        reply: with or without calls; without, its last line may be one of the special words.
        view: what the model was shown.
        read: returns the actions of one call, or raises a `MistakeError`; its `action` is the name of the tool.
    """
    if not reply.calls:
        return _without_calls(reply)
    if reply.finish_reason == "length":
        # Half a call can read as a whole one: a click without its place is a click where the pointer stands.
        return failed("truncated")
    actions: list[Action] = []
    calls: list[str] = []
    try:
        for call in reply.calls:
            done = read(Arguments.from_json(call.name, call.arguments, view.frame, view.tags))
            actions += done
            calls += [call.id] * len(done)
    except MistakeError as error:
        return Parsed(problem="unparsable", feedback=f"Nothing of your reply was done: {error}.")
    ends = next((place for place, action in enumerate(actions) if action.ends_episode), len(actions))
    return Parsed(tuple(actions[: ends + 1]), calls=tuple(calls[: ends + 1]))


def _without_calls(reply: Reply) -> Parsed:
    word = special_word(reply.text)
    if word is not None:
        return Parsed((word,))
    if reply.finish_reason == "length":
        return failed("truncated")
    return Parsed(problem="unparsable", feedback=NO_CALL) if reply.text.strip() else failed("empty")
