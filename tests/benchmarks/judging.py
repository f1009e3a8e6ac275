"""What a judged run costs once its judgments are stored."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rogue.judging.run import judge_run, plan_of, recorded_episodes
from tests.benchmarks.measure import Figure, timed
from tests.judging.recorded import OVERRIDES, Turn, record_run

if TYPE_CHECKING:
    from pytest_rogue.records.run_folder import RunFolder

EPISODES, STEPS = 1_000, 15


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        turns = [
            Turn(f"Step {step}. {OVERRIDES}", "I think about it. " * 40, f"pyautogui.click({step}, 1)", "line\n" * 30)
            for step in range(STEPS)
        ]
        run = record_run(Path(folder), [turns] * EPISODES)
        _judge(run)
        taken = timed(lambda: _judge(run), 5)
    return [Figure(f"judging {EPISODES} cached episodes of {STEPS} steps", taken, "under 3 s")]


def _judge(run: RunFolder) -> None:
    plan = plan_of(run.path.parent, targets=["rules"])
    block = judge_run(run.store, recorded_episodes(run), plan)
    if len(block["episodes"]) != EPISODES:
        raise RuntimeError(f"{len(block['episodes'])} of {EPISODES} episodes were judged")
