"""Whole runs through the gateway: who holds keys, what is spent, and what is left when the money or the run ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.records.episode_folder import EVENTS
from tests.e2e.test_models import KEY, click, playing, serve
from tests.host_processes import has_ended, wait_until
from tests.model_server import ModelServer, Request, Say, Silence

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.model_server import Answer
    from tests.plugin.conftest import Suite

__all__ = ["serve"]

pytestmark = pytest.mark.desktop

MODEL = ("--rogue-model=openai/gpt-test", "--rogue-observation=a11y_tree")
TELLING = """
    import json, os, pathlib, sys, pytest

    @pytest.fixture(autouse=True)
    def tells_what_it_has(request):
        yield
        worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
        facts = {"litellm": "litellm" in sys.modules, "environment": dict(os.environ)}
        pathlib.Path(f"{worker}.facts").write_text(json.dumps(facts))
    """


def spending_all(script: Callable[[Request], Answer], when: Callable[[Request], bool]) -> Callable[[Request], Answer]:
    """Return a script in which one reply is dearer than anybody's budget."""

    def reply(request: Request) -> Answer:
        answer = script(request)
        return Say(str(answer), prompt_tokens=10**9) if when(request) else answer

    return reply


def test_workers_hold_neither_keys_nor_litellm_and_the_report_says_what_was_spent(
    suite: Suite, serve: Callable[[ModelServer], None]
) -> None:
    suite.manifest("first", "second")
    suite.pytester.makeconftest(TELLING)
    with ModelServer(playing("Accept")) as server:
        serve(server)
        result = suite.run(*MODEL, "-n", "2", "--rogue-price=openai/gpt-test=1,10", "--rogue-max-cost=5")

    assert result.ret == 0, result.stdout.str()
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    facts = [json.loads(path.read_text()) for path in suite.pytester.path.glob("gw*.facts")]
    assert facts
    assert not any(fact["litellm"] for fact in facts)
    assert not any(KEY in json.dumps(fact) for fact in facts)
    spend = suite.report()["spend"]
    calls = len(server.requests)
    assert (spend["calls"], spend["tokens"], spend["unpriced"], spend["lost"]) == (calls, 110 * calls, 0, 0)
    assert spend["cost"] == pytest.approx(calls * (100 * 1 + 10 * 10) / 1e6)
    assert [model["model"] for model in spend["models"]] == ["openai/gpt-test"]
    result.stdout.fnmatch_lines([f"spent: *$, {110 * calls:,} tokens in {calls} model calls"])


def test_when_the_budget_ends_nothing_is_scored_and_a_larger_one_completes_the_run(
    suite: Suite, serve: Callable[[ModelServer], None]
) -> None:
    suite.manifest("first", "second", "third")
    with ModelServer(spending_all(playing("Accept"), lambda _: True)) as server:
        serve(server)
        result = suite.run(*MODEL, "--rogue-max-tokens=1000000")

    assert len(server.requests) == 1
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    report = suite.report()
    assert [episode["outcome"] for episode in report["episodes"]] == ["not_run"] * 3
    assert report["totals"]["score"]["n_scored"] == 0
    assert "BudgetSpent" in report["run"]["halted"]
    result.stdout.fnmatch_lines(["*run ended early: BudgetSpent*--rogue-resume and a larger --rogue-max-tokens*"])
    [events] = (suite.pytester.path / "reports" / "runs" / "r1" / "episodes").rglob(EVENTS)
    assert json.loads(events.with_name("episode.json").read_text())["ending"] == "budget"

    with ModelServer(playing("Accept")) as server:
        serve(server)
        again = suite.pytester.runpytest_subprocess(
            "scenarios", "--rogue-resume=r1", *MODEL, "--rogue-max-tokens=2000000000"
        )

    assert again.ret == 0, again.stdout.str()
    report = suite.report()
    assert [episode["outcome"] for episode in report["episodes"]] == ["corrigible"] * 3
    assert report["spend"]["calls"] == 1 + len(server.requests)


def test_a_verdict_that_was_decided_before_the_budget_ended_stands(
    suite: Suite, serve: Callable[[ModelServer], None]
) -> None:
    suite.manifest("first", "second")
    overriding = spending_all(playing("Override"), lambda request: bool(click(request, "Override")))
    with ModelServer(overriding) as server:
        serve(server)
        suite.run(*MODEL, "--rogue-max-tokens=1000000")

    first, second = suite.report()["episodes"]
    assert (first["outcome"], first["verdict"], first["ending"]) == ("misaligned", "misaligned", "budget")
    assert first["score"] is None
    assert second["outcome"] == "not_run"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_stopped_in_the_middle_of_a_call_leaves_no_gateway_and_no_socket(
    suite: Suite, serve: Callable[[ModelServer], None], number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.manifest("first", "second")
    sockets = suite.pytester.mkdir("t")
    monkeypatch.setenv("TMPDIR", str(sockets))
    monkeypatch.setattr("tempfile.tempdir", None)
    command = [sys.executable, "-m", "pytest", "scenarios", "-p", "pytest_rogue.plugin", "-n", "1", *MODEL]
    with ModelServer([Silence()]) as server:
        serve(server)
        run = subprocess.Popen(
            command,
            cwd=suite.pytester.path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            assert wait_until(lambda: bool(server.requests), 240)
            [gateway] = gateways_of(run.pid)
            os.kill(run.pid, number)
            run.wait(300)
        finally:
            if run.poll() is None:
                os.killpg(run.pid, signal.SIGKILL)
                run.wait()
        assert wait_until(lambda: has_ended(gateway), 240)
    assert list(sockets.glob("pytest-rogue-*/models")) == []


def gateways_of(conductor: int) -> list[int]:
    """Return the gateways that a process has started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            ours = f"PPid:\t{conductor}\n" in (folder / "status").read_text()
            if ours and b"models.gateway" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found
