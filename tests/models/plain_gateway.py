"""A gateway without the seconds that litellm takes to load; it can be told to die once: `plain_gateway.py [WHEN MARK]`.

WHEN is `received` (nothing is written down yet), `asking` (it is, and nothing is sent), `answered` (the reply is in
the book and not handed out), or `always` (before it begins). MARK is a file that tells that it has died already.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from pytest_rogue.errors import RateLimited
from pytest_rogue.interaction import Usage
from pytest_rogue.models.client import Reply, ToolCall
from pytest_rogue.models.gateway import Gateway, main
from pytest_rogue.models.gateway_wire import receive

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from pytest_rogue.models.client import ModelClient
    from pytest_rogue.models.gateway_wire import Asked


def die(when: str) -> None:
    if sys.argv[1:2] == [when] and (when == "always" or not Path(sys.argv[2]).exists()):
        Path(sys.argv[2]).touch()
        os.kill(os.getpid(), signal.SIGKILL)


class PlainClient:
    """Sends what it is asked to the loopback server, and makes of the answer whatever a test may look for."""

    def complete(self, messages: Any, *, max_tokens: int | None = None, tools: Any = ()) -> Reply:
        die("asking")
        body = {"model": "plain", "messages": list(messages), "max_tokens": max_tokens, "tools": list(tools)}
        response = httpx.post(f"{os.environ['OPENAI_BASE_URL']}/chat/completions", json=body, timeout=60)
        if response.status_code == 429:
            error = RateLimited("plain: slow down", 7.5)
            error.usage = Usage(calls=2, retries=1, cost=None)
            raise error
        data = response.json()
        counted = data["usage"]
        usage = Usage(1, 0, counted["prompt_tokens"], counted["completion_tokens"], cost=None)
        text = data["choices"][0]["message"]["content"]
        calls = (ToolCall("c1", "computer", '{"x": 1}'),)
        return Reply(text, "because", "stop", usage, calls, {"role": "assistant", "content": text})


class PlainGateway(Gateway):
    def warm_up(self) -> None:
        pass

    def client_of(self, asked: Asked) -> ModelClient:
        return PlainClient()

    def deliver(self, connection: Connection, answer: dict[str, Any]) -> None:
        die("answered")
        super().deliver(connection, answer)

    def receive(self, connection: Connection) -> dict[str, Any]:
        request = receive(connection)
        die("received")
        return request


if __name__ == "__main__":
    die("always")
    main(PlainGateway)
