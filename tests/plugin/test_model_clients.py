"""What the clients of a run tell its gateway: a real socket, and nobody behind it but this test."""

from __future__ import annotations

import threading
from multiprocessing.connection import Listener
from typing import TYPE_CHECKING, Any

from pytest_rogue.judging.targets import Target
from pytest_rogue.models.client import Reply
from pytest_rogue.models.gateway_wire import Door, receive, reply_to_wire, send
from pytest_rogue.models.options import ModelOptions
from pytest_rogue.plugin.gateway import agents_clients, judges_clients
from pytest_rogue.secrets import Secret

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.models.client import ModelClient


def seconds_for(client: ModelClient, listener: Listener) -> float:
    """Return how long a reply may take, as the gateway is told with a question."""
    asked: list[dict[str, Any]] = []

    def answer() -> None:
        with listener.accept() as connection:
            asked.append(receive(connection)["question"]["asked"])
            send(connection, {"reply": reply_to_wire(Reply("yes"))})

    gateway = threading.Thread(target=answer, daemon=True)
    gateway.start()
    client.complete([{"role": "user", "content": "hello"}])
    gateway.join()
    return float(asked[0]["timeout"])


def test_a_reply_of_the_agents_model_may_take_as_long_as_a_judges(tmp_path: Path) -> None:
    door = Door(str(tmp_path / "models"), Secret("0123456789abcdef", "gateway"))
    with Listener(door.address, family="AF_UNIX") as listener:
        agents = seconds_for(agents_clients(door)("openai/some", ModelOptions()), listener)
        judges = seconds_for(judges_clients(door)(Target("some", "openai/some")), listener)
    assert agents == judges == 1800
