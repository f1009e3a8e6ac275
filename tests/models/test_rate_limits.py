"""A storm of rate limits through the real gateway: litellm in a process of its own, many callers, a real server."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from pytest_rogue.models.budget import Limits
from pytest_rogue.models.gateway_client import GatewayClient
from pytest_rogue.models.gateway_keeper import GatewayKeeper
from pytest_rogue.records.run_folder import RunFolder
from tests.model_server import Failure, ModelServer

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

HELLO = [{"role": "user", "content": "hello"}]
CALLERS = 12
LIMITED = 8


def test_a_storm_of_rate_limits_passes_and_every_caller_gets_its_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    too_many = Failure(429, {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}, {"Retry-After": "1"})
    with ModelServer([*[too_many] * LIMITED, "at last"]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        with GatewayKeeper(RunFolder.create(tmp_path, "r1"), Limits(), {}) as keeper:
            keeper.start(at_once=True)
            client = GatewayClient(keeper.door, "openai/some-model")
            with ThreadPoolExecutor(CALLERS) as callers:
                replies = list(callers.map(lambda _: client.complete(HELLO), range(CALLERS)))

    assert [reply.text for reply in replies] == ["at last"] * CALLERS
    assert len(server.requests) == CALLERS + LIMITED
    assert sum(reply.usage.retries for reply in replies) == LIMITED
