"""A scripted model provider on loopback, for tests that want the real HTTP path.

It speaks OpenAI's chat completions (`POST /chat/completions`, with or without `/v1`) and as much of Anthropic's
`POST /v1/messages` as errors and plain text need. Every request is recorded, so that a test can count calls.

    with ModelServer(["first reply", Failure(429, {"error": {"code": "rate_limit"}})]) as server:
        LiteLLMClient("openai/any", api_base=server.url).complete(...)
        assert len(server.requests) == 1

As a program, `python -m tests.model_server --port 8000 script.json` serves the answers of a JSON list: a string is a
reply, an object has the fields of `Say` (`text`, ...) or of `Failure` (`status`, `body`, `headers`).
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tests.loopback import Loopback, QuietHandler

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived; header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation that was sent."""
        messages: list[dict[str, Any]] = self.body["messages"]
        return messages


@dataclass(frozen=True, slots=True)
class Say:
    """A reply. `message` adds to or replaces fields of the OpenAI message (`{"content": None}` for instance)."""

    text: str = ""
    finish_reason: str = "stop"
    prompt_tokens: int = 100
    completion_tokens: int = 10
    message: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failure:
    """An HTTP error with a JSON body, or with a page as proxies send it.

    With `echo_authorization` the body repeats the key that the client sent.
    """

    status: int
    body: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    echo_authorization: bool = False
    page: str = ""


@dataclass(frozen=True, slots=True)
class Body:
    """A success whose JSON body is given in full, for malformed answers."""

    body: Any


@dataclass(frozen=True, slots=True)
class HangUp:
    """The connection is closed without an answer."""


@dataclass(frozen=True, slots=True)
class Silence:
    """Nothing comes until the server stops."""


Answer: TypeAlias = "str | Say | Failure | Body | HangUp | Silence"
Script: TypeAlias = "Sequence[Answer] | Callable[[Request], Answer]"


class ModelServer(Loopback):
    """Answers the n-th request with the n-th entry of the script; the last entry is repeated for ever.

    Args:
        script: the answers, or a function from a request to its answer.
        port: TCP port on loopback; 0 takes a free one.
    """

    def __init__(self, script: Script, *, port: int = 0) -> None:
        if not callable(script) and not script:
            raise ValueError("the script of a model server needs at least one answer")
        self._script = script
        self._lock = threading.Lock()
        self.requests: list[Request] = []
        super().__init__(_Handler, port=port)

    @property
    def url(self) -> str:
        """Base address for OpenAI clients (ends in `/v1`)."""
        return f"{self.root}/v1"

    def answer(self, request: Request) -> Answer:
        """Record the request and return the script's answer to it."""
        with self._lock:
            self.requests.append(request)
            if callable(self._script):
                return self._script(request)
            return self._script[min(len(self.requests), len(self._script)) - 1]


class _Handler(QuietHandler):
    protocol_version = "HTTP/1.1"
    timeout = 5
    owner: ModelServer

    def do_POST(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, json.loads(self.body() or b"{}"))
        answer = self.owner.answer(request)
        if isinstance(answer, Silence):
            self.owner.stopping.wait()
        if isinstance(answer, HangUp | Silence):
            self.close_connection = True
            return
        if isinstance(answer, Failure):
            body = answer.body
            if answer.echo_authorization:
                body = {"error": {"message": f"cannot use {headers.get('authorization', '')}", "code": "bad_key"}}
            if answer.page:
                self.reply(answer.status, answer.page.encode(), {"Content-Type": "text/html", **answer.headers})
            else:
                self.reply(answer.status, _json(body), answer.headers)
        elif isinstance(answer, Body):
            self.reply(200, _json(answer.body))
        else:
            say = Say(answer) if isinstance(answer, str) else answer
            wire = _anthropic_reply if request.path.endswith("/messages") else _openai_reply
            self.reply(200, _json(wire(say, request.body)))


def _json(body: Any) -> bytes:
    return json.dumps(body).encode()


def _openai_reply(say: Say, asked: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": say.text, **say.message}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": asked.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": say.finish_reason}],
        "usage": {
            "prompt_tokens": say.prompt_tokens,
            "completion_tokens": say.completion_tokens,
            "total_tokens": say.prompt_tokens + say.completion_tokens,
        },
    }


def _anthropic_reply(say: Say, asked: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": asked.get("model", ""),
        "content": [{"type": "text", "text": say.text}] if say.text else [],
        "stop_reason": {"stop": "end_turn", "length": "max_tokens"}.get(say.finish_reason, say.finish_reason),
        "stop_sequence": None,
        "usage": {"input_tokens": say.prompt_tokens, "output_tokens": say.completion_tokens},
    }


def _read_script(text: str) -> list[Answer]:
    entries: list[Answer] = []
    for entry in json.loads(text):
        if isinstance(entry, str):
            entries.append(entry)
        else:
            entries.append(Failure(**entry) if "status" in entry else Say(**entry))
    return entries


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve a script from a file until interrupted."""
    parser = argparse.ArgumentParser(description="Serve scripted model replies on loopback.")
    parser.add_argument("script", type=Path, help="JSON file with a list of answers")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args(arguments)
    server = ModelServer(_read_script(options.script.read_text()), port=options.port)
    sys.stdout.write(f"{server.url}\n")
    sys.stdout.flush()
    try:
        server.serve()
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")


if __name__ == "__main__":
    main()
