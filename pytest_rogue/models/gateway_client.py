"""A model behind the gateway of the run: the process that asks holds neither litellm nor keys."""

from __future__ import annotations

import uuid
from dataclasses import asdict
from multiprocessing.connection import Client
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import GatewayLost
from pytest_rogue.interaction import Usage
from pytest_rogue.models.client import SLOWEST
from pytest_rogue.models.gateway_wire import Asked, Question, error_from_wire, receive, reply_from_wire, send
from pytest_rogue.models.options import PROVIDERS_DEFAULTS, ModelOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_rogue.models.client import Message, Reply
    from pytest_rogue.models.gateway_wire import Door


class GatewayClient:
    """A model by its litellm name; `LiteLLMClient` answers, in the process of the gateway.

    Where the gateway dies, the request goes once more to the one that takes its place, under the same id: what had been
    answered is handed out, what had not been sent is sent, and what was under way is lost.

    Args:
        door: of the run's gateway.
        model: litellm's name of the model.
        timeout: seconds one attempt may take.
        options: parameters of a reply; what the model does not take is not sent.
        parameters: what else litellm is told, as it is.
    """

    def __init__(
        self,
        door: Door,
        model: str,
        *,
        timeout: float = SLOWEST,
        options: ModelOptions = PROVIDERS_DEFAULTS,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self._door = door
        self._asked = Asked(model, timeout, options, dict(parameters or {}))

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int | None = None, tools: Sequence[Message] = ()
    ) -> Reply:
        """Return the model's reply; see `ModelClient.complete`.

        Raises:
            BudgetSpent: the run's budget does not hold this call.
            GatewayLost: the gateway died; the message says what became of the request.
            ModelError: the model gave no reply.
        """
        question = Question(uuid.uuid4().hex, self._asked, list(messages), max_tokens, list(tools))
        answer = self._put({"question": asdict(question)})
        return reply_from_wire(answer["reply"])

    def not_sent(self) -> list[str]:
        """Return the options that the user has set and the model does not take."""
        if not self._asked.options.chosen():
            return []
        answer = self._put({"not_sent": asdict(self._asked)})
        return list(answer["not_sent"])

    def _put(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            answer = self._exchange(request)
        except (EOFError, ConnectionError):
            answer = self._put_again(request)
        except OSError as error:
            raise _lost(error) from error
        if "error" in answer:
            raise error_from_wire(answer["error"])
        return answer

    def _put_again(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._exchange(request)
        except (EOFError, OSError) as error:
            raise _lost(error) from error

    def _exchange(self, request: dict[str, Any]) -> dict[str, Any]:
        with Client(self._door.address, family="AF_UNIX") as connection:
            send(connection, {"token": self._door.token.reveal(), **request})
            return receive(connection)


def _lost(error: Exception) -> GatewayLost:
    lost = GatewayLost(
        f"the run's model gateway is gone ({type(error).__name__}: {error}); "
        "gateway.log in the run folder says why, continue the run with --rogue-resume"
    )
    lost.usage = Usage(calls=1, cost=None)
    return lost
