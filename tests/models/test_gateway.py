"""The gateway of a run: real processes, a real socket, and a real server on loopback behind it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from multiprocessing.connection import Client
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.errors import BudgetSpent, GatewayLost, RateLimited
from pytest_rogue.interaction import Usage
from pytest_rogue.models.budget import Limits
from pytest_rogue.models.client import ModelClient, ToolCall
from pytest_rogue.models.gateway_client import GatewayClient
from pytest_rogue.models.gateway_keeper import MOST_STARTS, GatewayKeeper
from pytest_rogue.models.gateway_wire import receive, send
from pytest_rogue.models.prices import Price
from pytest_rogue.records.run_folder import RunFolder
from pytest_rogue.records.spend import SpendBook
from tests.host_processes import has_ended, wait_until
from tests.model_server import Failure, ModelServer, Say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.model_server import Script

HELLO = [{"role": "user", "content": "hello"}]
PLAIN = Path(__file__).with_name("plain_gateway.py")
ASKING = Path(__file__).with_name("asking_process.py")
CONDUCTING = Path(__file__).with_name("conducting_process.py")
ROOT = str(Path(__file__).parents[2])
NO_LIMIT = Limits()
ONE_DOLLAR_A_TOKEN = {"openai/plain": Price(1e6, 1e6)}


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder.create(tmp_path, "r1")


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Script], ModelServer]]:
    """Return what starts a model server, to which all processes that are started from then on turn."""
    servers = []
    monkeypatch.setenv("PYTHONPATH", ROOT)

    def start(script: Script) -> ModelServer:
        server = ModelServer(script).__enter__()
        servers.append(server)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        return server

    yield start
    for server in servers:
        server.__exit__(None, None, None)


@contextmanager
def kept(
    folder: RunFolder, *dies: str, limits: Limits = NO_LIMIT, prices: dict[str, Price] | None = None
) -> Iterator[GatewayKeeper]:
    keeper = GatewayKeeper(folder, limits, prices or {}, program=[sys.executable, str(PLAIN), *dies])
    keeper.start(at_once=False)
    try:
        yield keeper
    finally:
        keeper.close()


def pid_of(keeper: GatewayKeeper) -> int:
    assert keeper._process is not None
    return keeper._process.pid


def test_a_reply_comes_back_as_the_client_in_the_gateway_gave_it(
    folder: RunFolder, serve: Callable[[Script], ModelServer]
) -> None:
    server = serve([Say("grüße", prompt_tokens=7, completion_tokens=3)])
    with kept(folder) as keeper:
        client: ModelClient = GatewayClient(keeper.door, "openai/plain")
        reply = client.complete(HELLO, max_tokens=12, tools=[{"type": "computer"}])

    assert (reply.text, reply.reasoning, reply.finish_reason) == ("grüße", "because", "stop")
    assert reply.usage == Usage(1, 0, 7, 3, cost=None)
    assert reply.calls == (ToolCall("c1", "computer", '{"x": 1}'),)
    assert reply.message == {"role": "assistant", "content": "grüße"}
    body = server.requests[0].body
    assert (body["messages"], body["max_tokens"], body["tools"]) == (HELLO, 12, [{"type": "computer"}])


def test_an_error_comes_back_as_the_one_that_was_raised(
    folder: RunFolder, serve: Callable[[Script], ModelServer]
) -> None:
    serve([Failure(429)])
    with kept(folder) as keeper, pytest.raises(RateLimited, match="slow down") as caught:
        GatewayClient(keeper.door, "openai/plain").complete(HELLO)

    assert caught.value.retry_after == 7.5
    assert caught.value.usage == Usage(calls=2, retries=1, cost=None)


def test_a_reply_that_was_paid_for_is_handed_out_by_the_next_gateway_and_not_asked_for_again(
    folder: RunFolder, serve: Callable[[Script], ModelServer], tmp_path: Path
) -> None:
    server = serve(["the first", "another"])
    with kept(folder, "answered", str(tmp_path / "died")) as keeper:
        reply = GatewayClient(keeper.door, "openai/plain").complete(HELLO)

    assert (tmp_path / "died").exists(), "the gateway was really killed"
    assert reply.text == "the first"
    assert len(server.requests) == 1


def test_a_request_that_was_not_written_down_is_sent_by_the_next_gateway(
    folder: RunFolder, serve: Callable[[Script], ModelServer], tmp_path: Path
) -> None:
    server = serve(["the first"])
    with kept(folder, "received", str(tmp_path / "died")) as keeper:
        assert GatewayClient(keeper.door, "openai/plain").complete(HELLO).text == "the first"

    assert (tmp_path / "died").exists()
    assert len(server.requests) == 1


def test_a_request_that_was_under_way_is_lost_and_not_sent_again(
    folder: RunFolder, serve: Callable[[Script], ModelServer], tmp_path: Path
) -> None:
    server = serve(["never asked for"])
    with kept(folder, "asking", str(tmp_path / "died"), prices=ONE_DOLLAR_A_TOKEN) as keeper:
        with pytest.raises(GatewayLost, match="may have been paid for") as caught:
            GatewayClient(keeper.door, "openai/plain").complete(HELLO, max_tokens=100)
        assert caught.value.usage == Usage(calls=1, cost=None)
        assert GatewayClient(keeper.door, "openai/plain").complete(HELLO, max_tokens=100).text == "never asked for"

    assert len(server.requests) == 1
    with SpendBook(folder.store) as book:
        [spend] = book.by_model()
    assert (spend.calls, spend.lost) == (2, 1)
    assert (spend.cost or 0) > 210, "what was reserved for the lost one, and what the other one used"


def test_a_gateway_that_was_killed_while_idle_is_replaced_for_the_next_caller(
    folder: RunFolder, serve: Callable[[Script], ModelServer]
) -> None:
    serve(["one", "two"])
    with kept(folder) as keeper:
        client = GatewayClient(keeper.door, "openai/plain")
        assert client.complete(HELLO).text == "one"
        first = pid_of(keeper)
        os.kill(first, signal.SIGKILL)
        assert client.complete(HELLO).text == "two"
        assert pid_of(keeper) != first
    assert f"status {-signal.SIGKILL}" in (folder.path / "gateway.log").read_text()


def test_a_gateway_that_cannot_begin_is_told_and_not_started_for_ever(
    folder: RunFolder, serve: Callable[[Script], ModelServer], tmp_path: Path
) -> None:
    server = serve(["never"])
    with kept(folder, "always", str(tmp_path / "died")) as keeper:
        client = GatewayClient(keeper.door, "openai/plain")
        for _ in range(MOST_STARTS):
            with pytest.raises(GatewayLost, match="gateway"):
                client.complete(HELLO)
    assert server.requests == []


def test_who_does_not_know_the_token_is_not_answered(folder: RunFolder, serve: Callable[[Script], ModelServer]) -> None:
    server = serve(["a secret"])
    with kept(folder) as keeper:
        with Client(keeper.door.address, family="AF_UNIX") as connection:
            send(connection, {"token": "guessed", "question": {}})
            with pytest.raises(EOFError):
                receive(connection)
        assert Path(keeper.door.address).parent.stat().st_mode & 0o077 == 0
    assert server.requests == []


def test_closing_leaves_no_process_and_no_socket(folder: RunFolder, serve: Callable[[Script], ModelServer]) -> None:
    serve(["one"])
    with kept(folder) as keeper:
        GatewayClient(keeper.door, "openai/plain").complete(HELLO)
        pid = pid_of(keeper)
    assert has_ended(pid)
    assert not Path(keeper.door.address).parent.exists()
    keeper.close()


def test_a_gateway_ends_with_the_process_that_conducts_the_run_even_if_that_is_killed(
    folder: RunFolder, serve: Callable[[Script], ModelServer]
) -> None:
    serve(["one"])
    conducting = subprocess.Popen(
        [sys.executable, str(CONDUCTING), str(folder.path), str(PLAIN)], stdout=subprocess.PIPE, text=True
    )
    assert conducting.stdout is not None
    with conducting.stdout as out:
        pid, address = out.readline().split()
        assert not has_ended(int(pid))
        conducting.kill()
        conducting.wait()

    assert wait_until(lambda: has_ended(int(pid)))
    assert wait_until(lambda: not Path(address).parent.exists())


def test_eight_processes_together_never_spend_more_than_the_budget(
    folder: RunFolder, serve: Callable[[Script], ModelServer]
) -> None:
    server = serve([Say("ok", prompt_tokens=30, completion_tokens=20)])
    with kept(folder, limits=Limits(cost=1500.0), prices=ONE_DOLLAR_A_TOKEN) as keeper:
        asking = [
            subprocess.Popen(
                [sys.executable, str(ASKING), keeper.door.address, keeper.door.token.reveal()],
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(8)
        ]
        ended = [process.communicate()[0].split() for process in asking]

    answered = sum(int(answers) for answers, _ in ended)
    assert [why for _, why in ended] == ["BudgetSpent"] * 8
    assert answered == len(server.requests)
    reserved = 100 + 20  # for the reply, and roughly for the request
    assert 1500 - reserved <= 50 * answered <= 1500


def test_the_tokens_of_a_run_are_a_budget_too_and_a_larger_one_lets_it_go_on(
    folder: RunFolder, serve: Callable[[Script], ModelServer]
) -> None:
    serve([Say("ok", prompt_tokens=600, completion_tokens=20)])
    with kept(folder, limits=Limits(tokens=700)) as keeper:
        client = GatewayClient(keeper.door, "openai/plain")
        client.complete(HELLO, max_tokens=50)
        with pytest.raises(BudgetSpent, match=r"620 of 700 tokens are spent.*larger --rogue-max-tokens"):
            client.complete(HELLO, max_tokens=80)
    with kept(folder, limits=Limits(tokens=1400)) as keeper:
        assert GatewayClient(keeper.door, "openai/plain").complete(HELLO, max_tokens=80).text == "ok"
