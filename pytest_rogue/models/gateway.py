"""The gateway of a run: one process that holds litellm and the keys, and asks models for all others.

Everything that has to be one for a whole run is here: the budget, the pace at which a model is asked, the record of
what was paid for. It is started by `gateway_keeper`, gets its orders as one line of JSON on its standard input, and
ends when that is closed, which happens however its parent ends.
"""

from __future__ import annotations

import hmac
import json
import os
import shutil
import socket
import sys
import threading
import traceback
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError, GatewayLost, ModelError, ModelUnavailable, RogueError
from pytest_rogue.interaction import Usage
from pytest_rogue.models.budget import Budget, Limits, foreseen, spent_by
from pytest_rogue.models.gateway_wire import Asked, Question, error_to_wire, receive, reply_to_wire, send
from pytest_rogue.models.litellm_client import LiteLLMClient, load_litellm
from pytest_rogue.models.pace import Pace
from pytest_rogue.models.prices import Price
from pytest_rogue.records.spend import SpendBook
from pytest_rogue.secrets import scrub

if TYPE_CHECKING:
    from pytest_rogue.models.client import ModelClient
    from pytest_rogue.records.spend import State

READY = "ready"
"""Written to standard output when requests are answered."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What a gateway is told when it starts.

    Attributes:
        socket: file descriptor of the socket on which it is asked.
        store: the run's `run.sqlite`.
        token: that a request has to carry.
        limits: what the run may use.
        prices: that the user gives, by model.
    """

    socket: int
    store: str
    token: str
    limits: Limits
    prices: dict[str, Price]

    @classmethod
    def from_wire(cls, line: str) -> Orders:
        """Return orders from one line of JSON, which is `asdict` of them."""
        data = json.loads(line)
        prices = {model: Price(**price) for model, price in data["prices"].items()}
        return cls(**{**data, "limits": Limits(**data["limits"]), "prices": prices})


class Gateway:
    """Answers requests.

    Args:
        orders: what it is told.
        book: where calls are written down; what is under way in it was lost with an earlier gateway.
    """

    def __init__(self, orders: Orders, book: SpendBook) -> None:
        self._orders = orders
        self._book = book
        book.give_up_asked()
        self._budget = Budget(book, orders.limits)
        self._paces: defaultdict[str, Pace] = defaultdict(Pace)
        self._lock = threading.Lock()

    def warm_up(self) -> None:
        """Import litellm, which takes seconds, before the first request needs it."""
        with suppress(ConfigError):  # told to whoever asks
            load_litellm()

    def serve(self, listener: socket.socket) -> None:
        """Answer whoever comes, for ever."""
        while True:
            accepted, _ = listener.accept()
            connection = Connection(accepted.detach())
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: Connection) -> None:
        with connection:
            try:
                self.deliver(connection, self._answer_to(connection))
            except (EOFError, OSError):
                return  # who has asked is gone; what was answered stands in the book

    def receive(self, connection: Connection) -> dict[str, Any]:
        """Take a request in."""
        return receive(connection)

    def deliver(self, connection: Connection, answer: dict[str, Any]) -> None:
        """Hand an answer out."""
        send(connection, answer)

    def _answer_to(self, connection: Connection) -> dict[str, Any]:
        request = self.receive(connection)
        if not hmac.compare_digest(str(request.get("token", "")), self._orders.token):
            raise EOFError  # nothing is said to strangers
        try:
            if "not_sent" in request:
                client = self.client_of(Asked.from_wire(request["not_sent"]))
                return {"not_sent": client.not_sent() if isinstance(client, LiteLLMClient) else []}
            return self._complete(Question.from_wire(request["question"]), connection)
        except RogueError as error:
            return {"error": error_to_wire(error)}
        except Exception as error:  # noqa: BLE001 - whoever waits has to be told, whatever broke
            return {"error": error_to_wire(_broken(error))}

    def _complete(self, question: Question, connection: Connection) -> dict[str, Any]:
        earlier = self._book.find(question.id)
        if earlier is not None:
            return earlier.answer or {"error": error_to_wire(_lost(question))}
        prices = self._orders.prices
        asked = question.asked
        longest = question.max_tokens or asked.options.max_tokens
        reserved = foreseen(asked.model, question.messages, question.tools, longest=longest, own_prices=prices)
        self._budget.reserve(question.id, asked.model, reserved)
        ended = self._ask(question, connection)
        spent = reserved if ended.unclear else spent_by(asked.model, ended.usage, own_prices=prices)
        self._budget.settle(question.id, ended.state, spent, ended.answer)
        return ended.answer

    def _ask(self, question: Question, connection: Connection) -> _Ended:
        """Ask the model; raises nothing."""
        try:
            if connection.poll():  # more than one request does not come: the other side was closed
                return _NOBODY_WAITS
            reply = self.client_of(question.asked).complete(
                question.messages, max_tokens=question.max_tokens, tools=question.tools
            )
        except Exception as error:  # noqa: BLE001 - what was reserved has to be settled, whatever broke
            meaning = error if isinstance(error, RogueError) else _broken(error)
            usage = meaning.usage if isinstance(meaning, ModelError) else Usage()
            unclear = isinstance(meaning, _MAY_BE_BILLED) and usage.calls > 0
            return _Ended("failed", {"error": error_to_wire(meaning)}, usage, unclear)
        return _Ended("answered", {"reply": reply_to_wire(reply)}, reply.usage)

    def client_of(self, asked: Asked) -> ModelClient:
        """Return what asks a model, at the pace of all who ask it."""
        with self._lock:
            pace = self._paces[asked.model]
        return LiteLLMClient(
            asked.model, timeout=asked.timeout, options=asked.options, parameters=asked.parameters, turn=pace.turn
        )


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a call ended; `unclear` where nobody knows whether it is billed."""

    state: State
    answer: dict[str, Any]
    usage: Usage
    unclear: bool = False


_MAY_BE_BILLED = (ModelUnavailable, GatewayLost)
"""Without a reply, and perhaps not without a bill: the provider may have answered into a lost connection."""

_NOBODY_WAITS = _Ended("failed", {"error": error_to_wire(ModelError("whoever asked is gone"))}, Usage())


def _broken(error: Exception) -> GatewayLost:
    traceback.print_exc()
    broken = GatewayLost(f"the model gateway broke: {type(error).__name__}: {scrub(str(error))}; gateway.log has more")
    broken.usage = Usage(calls=1, cost=None)
    return broken


def _lost(question: Question) -> GatewayLost:
    lost = GatewayLost(
        f"{question.asked.model}: the gateway died while this request was under way; it may have been paid for, so it "
        "is not sent again; continue the run with --rogue-resume"
    )
    lost.usage = Usage(calls=1, cost=None)
    return lost


def main(kind: type[Gateway] = Gateway) -> None:
    """Serve the run that the orders name, until standard input is closed."""
    orders = Orders.from_wire(sys.stdin.readline())
    listener = socket.socket(fileno=orders.socket)
    threading.Thread(target=_end_with_parent, args=(Path(listener.getsockname()).parent,), daemon=True).start()
    gateway = kind(orders, SpendBook(Path(orders.store)))
    threading.Thread(target=gateway.warm_up, daemon=True).start()
    sys.stdout.write(READY)
    sys.stdout.flush()
    gateway.serve(listener)


def _end_with_parent(folder: Path) -> None:
    sys.stdin.read()
    shutil.rmtree(folder, ignore_errors=True)  # the parent may have been killed, and cannot do it then
    os._exit(0)


if __name__ == "__main__":
    main()
