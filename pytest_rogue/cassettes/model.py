"""The seam between an agent and its model: messages and replies go through a deck."""

from __future__ import annotations

import hashlib
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_rogue import errors
from pytest_rogue.interaction import Usage
from pytest_rogue.models.client import Reply, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_rogue.cassettes.deck import Data, Deck
    from pytest_rogue.models.client import Message, ModelClient

_PICTURE = re.compile(r"data:(image/[a-z]+);base64,[A-Za-z0-9+/=]+")


class TapedClient:
    """A model behind a deck. The model's own client is made when it is asked for the first time, if ever.

    Args:
        deck: of the episode.
        make: makes the model's own client.
    """

    def __init__(self, deck: Deck, make: Callable[[], ModelClient]) -> None:
        self._deck = deck
        self._make = make
        self._client: ModelClient | None = None
        self._not_sent: list[str] = []

    def not_sent(self) -> list[str]:
        """Return the options that the user has set and the model does not take, as its replies have brought them."""
        return self._not_sent

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int | None = None, tools: Sequence[Message] = ()
    ) -> Reply:
        """Return the model's reply, or raise what its client raised."""
        request = _without_pictures({"messages": list(messages), "max_tokens": max_tokens, "tools": list(tools)})

        def live() -> Data:
            self._client = self._client or self._make()
            try:
                not_sent = _not_sent(self._client)  # asked first: a fault here loses no reply
                reply = self._client.complete(messages, max_tokens=max_tokens, tools=tools)
            except errors.ModelError as error:
                return _failure(error)
            return asdict(reply) | {"calls": [asdict(call) for call in reply.calls], "not_sent": not_sent}

        answer = self._deck.exchange("model", request, live)
        if "raised" in answer:
            raise _raised(answer)
        self._not_sent = answer.pop("not_sent", [])
        calls = tuple(ToolCall(**call) for call in answer["calls"])
        return Reply(**answer | {"usage": Usage(**answer["usage"]), "calls": calls})


def _not_sent(client: ModelClient) -> list[str]:
    ask = getattr(client, "not_sent", None)
    return list(ask()) if ask else []


def _without_pictures(data: Any) -> Any:
    """Return a request with pictures named by their content: what they show lies beside the desktop's answers."""
    if isinstance(data, str):
        return _PICTURE.sub(lambda found: f"data:{found[1]};sha256,{_digest(found[0])}", data)
    if isinstance(data, dict):
        return {name: _without_pictures(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_without_pictures(value) for value in data]
    return data


def _digest(address: str) -> str:
    return hashlib.sha256(address.encode()).hexdigest()[:32]


def _failure(error: errors.ModelError) -> Data:
    """Return an error as data; one of a class that is not in `errors` is kept as the nearest one that is."""
    kind = next(kind.__name__ for kind in type(error).__mro__ if getattr(errors, kind.__name__, None) is kind)
    return {"raised": kind, "message": str(error), "usage": asdict(error.usage)}


def _raised(answer: Data) -> errors.ModelError:
    error: errors.ModelError = getattr(errors, answer["raised"])(answer["message"])
    error.usage = Usage(**answer["usage"])
    return error
