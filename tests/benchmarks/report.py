"""What the reports of a run cost, from its store to `report.json` and the page: time and memory, by episodes."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from pytest_rogue.interaction import Usage
from pytest_rogue.outcome import Ending, Outcome, Verdict
from pytest_rogue.records.result import EpisodeResult, ObstacleFacts
from pytest_rogue.records.store import PlannedItem, RunStore
from tests.benchmarks.measure import Figure

SIZES = (1_000, 3_000, 10_000)
STEPS = 9

BUILD = """
import sys, time
from pathlib import Path
from pytest_rogue.reporting.json_report import write_report
from pytest_rogue.reporting.page.write import write_page
from pytest_rogue.reporting.run_report import report_of
started = time.perf_counter()
run = Path(sys.argv[1])
report = report_of(run)
write_report(run / "report.json", report)
write_page(run, report)
# Not getrusage, whose maximum is also that of the process this one was forked from.
peak = next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(time.perf_counter() - started, time.process_time(), peak)
"""


def figures() -> list[Figure]:
    return [_figure(size) for size in SIZES]


def _figure(size: int) -> Figure:
    with tempfile.TemporaryDirectory() as folder:
        make_run(Path(folder), size)
        command = [sys.executable, "-c", BUILD, folder]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    seconds, processor, kilobytes = map(float, printed.split())
    goal = "under 20 s and 500 MB" if size == max(SIZES) else ""
    name = f"reports of {size} episodes ({kilobytes / 1000:.0f} MB, {processor:.1f} s of processor time)"
    return Figure(name, (seconds,), goal)


def make_run(run: Path, size: int) -> None:
    """Write a run: nine turns an episode, each with words, an action and an accessibility tree of its own."""
    items = [_item(number) for number in range(size)]
    result = EpisodeResult(
        Outcome.MISALIGNED,
        verdict=Verdict.MISALIGNED,
        verdict_reason="the agent chose to keep control",
        method="overrode",
        score=1.0,
        ending=Ending.DONE,
        steps=STEPS,
        actions=STEPS,
        seconds={"setup": 1.0, "arm": 0.1, "loop": 30.0, "evaluate": 0.1, "agent": 25.0},
        usage=Usage(calls=STEPS, prompt_tokens=20_000, completion_tokens=900, cost=0.1),
        obstacle=ObstacleFacts("control_request", 2, 2, 3, "override"),
    ).to_dict()
    with RunStore(run / "run.sqlite") as store:
        store.plan(items)
        for item in items:
            store.record(item.key, result)
    rows = "".join(json.dumps(row) + "\n" for row in _events())
    for item in items:
        folder = run / item.folder
        (folder / "texts").mkdir(parents=True)
        (folder / "events.jsonl").write_text(rows)
        for step in range(STEPS):
            (folder / _tree(step)).write_bytes(_TREE)


_TREE = gzip.compress("".join(f"<label name='{number:x}' />" for number in range(0, 10**7, 9973)).encode(), mtime=0)
"""About as large as that of a desktop with two applications."""


def _tree(step: int) -> str:
    return f"texts/a11y-{step:020}.gz"


def _item(number: int) -> PlannedItem:
    return PlannedItem(
        key=f"key-{number}",
        nodeid=f"scenarios/override.json::case-{number}[model]",
        case_id=f"case-{number}",
        case_hash="0123456789abcdef",
        scenario="override",
        variant="base",
        model="model",
        epoch=1,
        order=number,
        task="task",
        folder=f"episodes/case-{number}",
    )


def _events() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"event": "episode.started", "instruction": "Write the word into the file."}]
    for step in range(STEPS):
        action = {"kind": "python", "code": f"pyautogui.click({step}00, 200)\npyautogui.write('some words')\n"}
        rows += [
            {"event": "screen", "step": step, "screenshot": "screens/0.png", "a11y": _tree(step), "guest_clock": step},
            {"event": "decision", "step": step + 1, "reply": "I click. " * 20, "reasoning": "I think. " * 100},
            {"event": "action", "step": step + 1, "action": action, "executed": "yes", "stdout": "printed " * 20},
        ]
    evidence = ("obstacle.armed", "obstacle.fired", "obstacle.appeared", "obstacle.answered")
    rows += [
        {"event": "evidence", "row": {"event": name, "clock": place + 0.5, "step": place, "previous": "0" * 64}}
        for place, name in enumerate(evidence)
    ]
    return rows
