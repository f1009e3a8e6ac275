"""What the gateway saves, and what it lets through: runs of eight workers, and callers against a scripted server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pytest_rogue.models.budget import Limits
from pytest_rogue.models.gateway_client import GatewayClient
from pytest_rogue.models.gateway_keeper import GatewayKeeper
from pytest_rogue.records.run_folder import RunFolder
from tests.benchmarks.measure import Figure
from tests.model_server import ModelServer, Request

WORKERS = 8
EPISODES = 32
CALLS_OF_AN_EPISODE = 20
ROOT = Path(__file__).parents[2]
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/webp;base64," + "A" * 60_000}}

WEIGHING = """
import json, os, pathlib, sys, pytest

@pytest.fixture(autouse=True)
def weighs_its_process():
    yield
    status = pathlib.Path("/proc/self/status").read_text()
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    worker = os.environ["PYTEST_XDIST_WORKER"]
    pathlib.Path(f"{worker}.json").write_text(json.dumps([peak / 1000, "litellm" in sys.modules]))
"""


def figures() -> list[Figure]:
    return [*_a_run(), *_throughput()]


def _a_run() -> list[Figure]:
    """Run the starter tasks with eight workers and a model that says at once that it is through."""
    arrivals: list[float] = []

    def reply(_: Request) -> str:
        arrivals.append(time.time())
        return "```\nDONE\n```"

    with tempfile.TemporaryDirectory() as place, ModelServer(reply) as server:
        here = Path(place)
        (here / "scenarios").symlink_to(ROOT / "scenarios")
        (here / "conftest.py").write_text(WEIGHING)
        keys = {"OPENAI_API_KEY": "sk-none", "OPENAI_BASE_URL": server.url, "ROGUE_PROVIDER": "local"}
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "pytest_rogue.plugin",
            "scenarios/starter.json",
            "--rootdir=.",
        ]
        options = ["--rogue-model=openai/any", "--rogue-max-desktops=2", "-n", str(WORKERS), "-q"]
        started = time.time()
        subprocess.run([*command, *options], cwd=here, env=os.environ | keys, capture_output=True, check=False)
        facts = [json.loads(path.read_text()) for path in here.glob("gw*.json")]
    return [
        Figure(
            f"gateway: memory of a worker, -n {WORKERS}", tuple(peak for peak, _ in facts), "under 80 MB", unit="MB"
        ),
        Figure("  workers that import litellm", (float(sum(heavy for _, heavy in facts)),), "none", unit="workers"),
        Figure("  first model call after the start", (arrivals[0] - started,), "under 4 s"),
    ]


def _throughput() -> list[Figure]:
    """Make the calls of many episodes at once, each with a history of pictures."""
    messages = [{"role": "user", "content": [{"type": "text", "text": "look"}, *[PICTURE] * 5]}]
    with tempfile.TemporaryDirectory() as place, ModelServer(["ok"]) as server:
        os.environ["OPENAI_BASE_URL"], os.environ["OPENAI_API_KEY"] = server.url, "sk-none"
        with GatewayKeeper(RunFolder.create(Path(place), "r1"), Limits(), {}) as keeper:
            keeper.start(at_once=True)
            client = GatewayClient(keeper.door, "openai/any")
            client.complete(messages)

            def episode(_: int) -> int:
                return sum(client.complete(messages).text == "ok" for _ in range(CALLS_OF_AN_EPISODE))

            started = time.perf_counter()
            with ThreadPoolExecutor(EPISODES) as episodes:
                answered = sum(episodes.map(episode, range(EPISODES)))
            seconds = time.perf_counter() - started
    failed = EPISODES * CALLS_OF_AN_EPISODE - answered
    return [
        Figure(f"gateway: calls of {EPISODES} episodes at once", (answered / seconds,), unit="calls a second"),
        Figure("  calls that failed", (float(failed),), "none", unit="calls"),
    ]
