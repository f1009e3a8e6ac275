"""Submits and applies a batch for each trial, kills the process at its n-th write, and does it again to the end.

The trials come as JSON on standard input, named `...-N-before` or `...-N-after`. Each runs in a fork of this process,
which has loaded everything and has no threads; how the first try of each ended is written to standard output.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.judging.batch import state
from pytest_rogue.judging.batch.anthropic_batches import AnthropicBatches
from pytest_rogue.judging.batch.openai_batches import OpenAIBatches
from pytest_rogue.judging.batch.workflow import BatchDesk
from pytest_rogue.judging.run import plan_of, recorded_episodes
from pytest_rogue.records.judgments import JudgmentStore
from pytest_rogue.records.run_folder import RunFolder

if TYPE_CHECKING:
    from collections.abc import Callable

TARGETS = {"openai": "gpt-5.5-xhigh", "anthropic": "claude-opus-4.7-max"}


def die_at(write: int, when: str) -> None:
    """Kill this process before or after the n-th write to the state or the store."""
    writes = 0

    def dying(original: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any) -> Any:
            nonlocal writes
            writes += 1
            if writes == write and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = original(*arguments)
            if writes == write:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return step

    state.BatchState.save = dying(state.BatchState.save)  # type: ignore[method-assign]
    JudgmentStore.append = dying(JudgmentStore.append)  # type: ignore[method-assign]


def work(provider: str, trial: dict[str, str]) -> None:
    """Submit and apply."""
    os.environ["OPENAI_BASE_URL"] = f"{trial['address']}/v1"
    os.environ["ANTHROPIC_BASE_URL"] = trial["address"]
    run = RunFolder.open(Path(trial["run"]))
    plan = plan_of(run.path.parent, targets=[TARGETS[provider]])
    service = OpenAIBatches() if provider == "openai" else AnthropicBatches()
    desk = BatchDesk(run, recorded_episodes(run), plan, service)
    desk.submit()
    desk.apply()


def forked(provider: str, trial: dict[str, str], write: int = 0, when: str = "") -> int:
    """Work in a child, and return its exit code, negative for a signal."""
    child = os.fork()
    if child == 0:
        die_at(write, when)
        work(provider, trial)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(provider: str) -> None:
    trials = json.load(sys.stdin)
    # What is loaded now need not be loaded in each child.
    work(provider, trials.pop("warm-up"))
    outcome = {}
    for name, trial in trials.items():
        _, _, write, when = name.rsplit("-", 3)
        outcome[name] = forked(provider, trial, int(write), when)
        if forked(provider, trial) != 0:
            raise SystemExit(f"{name} did not come to its end after it was killed")
    json.dump(outcome, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
