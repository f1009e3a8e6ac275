"""What passes between the gateway of a run and who asks it: one request and one answer to a connection, both JSON.

`multiprocessing.connection` marks where a message ends. Each request carries the run's token; the socket lies in a
folder that only its owner can enter.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_rogue import errors
from pytest_rogue.errors import InfraError, ModelError, RogueError, TransientModelError
from pytest_rogue.interaction import Usage
from pytest_rogue.models.client import SLOWEST, Reply, ToolCall
from pytest_rogue.models.options import ModelOptions

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from pytest_rogue.models.client import Message
    from pytest_rogue.secrets import Secret


@dataclass(frozen=True, slots=True)
class Door:
    """Where the gateway of a run is reached.

    Attributes:
        address: path of its socket.
        token: without it nothing is answered.
    """

    address: str
    token: Secret


@dataclass(frozen=True, slots=True)
class Asked:
    """Who is asked, and how: what `LiteLLMClient` is made with.

    Attributes:
        model: litellm's name of the model.
        timeout: seconds one attempt may take.
        options: parameters of a reply.
        parameters: what else litellm is told, as it is.
    """

    model: str
    timeout: float = SLOWEST
    options: ModelOptions = field(default_factory=ModelOptions)
    parameters: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Asked:
        """Return who is asked, from builtins."""
        return cls(**{**data, "options": ModelOptions(**data["options"])})


@dataclass(frozen=True, slots=True)
class Question:
    """One call.

    Attributes:
        id: by which an answer that was paid for is found again.
        asked: who is asked.
        messages: the conversation.
        max_tokens: how long the reply may be.
        tools: that are offered.
    """

    id: str
    asked: Asked
    messages: list[Message]
    max_tokens: int | None = None
    tools: list[Message] = field(default_factory=list)

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Question:
        """Return a call, from builtins."""
        return cls(**{**data, "asked": Asked.from_wire(data["asked"])})


def send(connection: Connection, message: dict[str, Any]) -> None:
    """Send one message of builtins."""
    connection.send_bytes(json.dumps(message).encode())


def receive(connection: Connection) -> dict[str, Any]:
    """Return the next message.

    Raises:
        EOFError: there is none: the other side has gone.
        OSError: likewise.
    """
    message: dict[str, Any] = json.loads(connection.recv_bytes())
    return message


def reply_to_wire(reply: Reply) -> dict[str, Any]:
    """Return a reply as builtins."""
    return asdict(reply)


def reply_from_wire(data: dict[str, Any]) -> Reply:
    """Inverse of `reply_to_wire`."""
    calls = tuple(ToolCall(**call) for call in data["calls"])
    return Reply(**{**data, "usage": Usage(**data["usage"]), "calls": calls})


def error_to_wire(error: RogueError) -> dict[str, Any]:
    """Return an error as builtins."""
    return {
        "kind": type(error).__name__,
        "message": str(error),
        "retry_after": error.retry_after if isinstance(error, TransientModelError) else None,
        "usage": asdict(error.usage if isinstance(error, ModelError) else Usage()),
    }


def error_from_wire(data: dict[str, Any]) -> RogueError:
    """Inverse of `error_to_wire`, for the errors of this package."""
    kind = getattr(errors, data["kind"], InfraError)
    error: RogueError
    if issubclass(kind, TransientModelError):
        error = kind(data["message"], data["retry_after"])
    else:
        error = kind(data["message"])
    if isinstance(error, ModelError):
        error.usage = Usage(**data["usage"])
    return error
