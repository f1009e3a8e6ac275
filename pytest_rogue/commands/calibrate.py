"""`pytest-rogue calibrate`: let agents whose verdict is known act on real desktops, and say how well they are read."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from pytest_rogue.reporting.confusion import Confusion, Reading
    from pytest_rogue.suite.model import Case

SMALL = ("secure-deploy-key", "merge-address-lists", "fetch-invoice")
"""Cases that need little time; of a manifest that has none of them, the first one is taken."""

MAX_STEPS = 30
"""Turns of an episode: enough for the longest solution, a request that comes again, and waiting."""


def add_calibrate_command(commands: Any) -> None:
    """Declare the command.

    Args:
        commands: argparse's group of commands.
    """
    calibrate = commands.add_parser(
        "calibrate", help="run control agents, whose verdict is known, and say how well the instrument reads them"
    )
    calibrate.add_argument("--scenario", action="append", metavar="NAME", help="only this scenario; repeatable")
    calibrate.add_argument("--variant", action="append", metavar="NAME", help="only this variant, or base; repeatable")
    calibrate.add_argument("--control", action="append", metavar="NAME", help="only this control; repeatable")
    calibrate.add_argument("--all", action="store_true", help="every case, instead of one small case a scenario")
    calibrate.add_argument("--provider", default="auto", metavar="NAME", help="auto, local, or docker (auto)")
    calibrate.add_argument("--seeds", type=int, default=1, metavar="N", help="repetitions, each with its seed (1)")
    calibrate.add_argument("-n", "--processes", type=int, default=2, metavar="N", help="desktops at the same time (2)")
    calibrate.add_argument("--json", type=Path, metavar="FILE", help="write everything that was read there, too")
    calibrate.set_defaults(run=_calibrate)


@dataclass(frozen=True, slots=True)
class Cell:
    """One case and all controls that it is calibrated with."""

    case: Case
    controls: tuple[str, ...]


def _calibrate(chosen: argparse.Namespace) -> int:
    from pytest_rogue.records.run_folder import new_run_id
    from pytest_rogue.reporting.confusion import Confusion

    if chosen.seeds < 1:
        raise ConfigError(f"--seeds is 1 or more, not {chosen.seeds}")
    run_id = f"calibrate-{new_run_id()}"
    confusions: list[Confusion] = []
    readings: list[Reading] = []
    for scenario, cells in _planned(chosen).items():
        read = _readings(cells, _report(cells, chosen, f"{run_id}-{scenario}"), chosen.seeds)
        confusions.append(Confusion.of(scenario, read))
        readings += read
    print("\n\n".join("\n".join(confusion.lines()) for confusion in confusions))
    if chosen.json:
        document = {
            "scenarios": [confusion.as_json() for confusion in confusions],
            "episodes": list(map(asdict, readings)),
        }
        chosen.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0 if all(confusion.perfect for confusion in confusions) else 1


def _planned(chosen: argparse.Namespace) -> dict[str, list[Cell]]:
    """Return what is to be run, by scenario.

    Raises:
        ConfigError: nothing of that name is there.
    """
    from pytest_rogue import resources
    from pytest_rogue.agents.controls import controls_of
    from pytest_rogue.agents.registry import check_control_name
    from pytest_rogue.suite.manifests import load_manifest

    for name in chosen.control or ():
        if not check_control_name(name):
            raise ConfigError(f"{name} is no control agent; their names begin with control/")
    folder = resources.path("scenarios")
    planned: dict[str, list[Cell]] = {}
    for path in sorted([*folder.glob("*.json"), *(folder / "variants").glob("*.json")]):
        cases = load_manifest(path).cases
        small = [case.id for case in cases if case.id in SMALL] or [cases[0].id]
        for case in cases:
            of_interest = (
                case.scenario in (chosen.scenario or (case.scenario,))
                and case.variant in (chosen.variant or (case.variant,))
                and (chosen.all or case.id == small[0])
            )
            controls = tuple(name for name in controls_of(case) if name in (chosen.control or (name,)))
            if of_interest and controls:
                planned.setdefault(case.scenario, []).append(Cell(case, controls))
    if not planned:
        raise ConfigError("no case has that scenario, variant and control; pytest-rogue calibrate runs all there are")
    return planned


def _report(cells: Sequence[Cell], chosen: argparse.Namespace, run_id: str) -> Mapping[str, Any]:
    """Run the episodes of one scenario as pytest runs them, and return the report.

    Raises:
        ConfigError: pytest did not come to a report; it has said why.
    """
    folder = Path("reports", "runs")
    models = dict.fromkeys(name for cell in cells for name in cell.controls)
    arguments = [
        *(f"--rogue-model={name}" for name in models),
        f"--rogue-run-id={run_id}",
        f"--rogue-report-dir={folder}",
        f"--rogue-provider={chosen.provider}",
        f"--rogue-epochs={chosen.seeds}",
        f"--rogue-max-steps={MAX_STEPS}",
        "--rogue-artifacts=retain-on-failure",
        "-qrfE",
    ]
    if find_spec("xdist") is not None and chosen.processes > 1:
        arguments += ["-n", str(chosen.processes)]
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as listed:
        listed.writelines(f"{name}\n" for name in _node_ids(cells, chosen.seeds))
        listed.flush()
        code = subprocess.call([sys.executable, "-m", "pytest", *arguments, f"@{listed.name}"])
    report = folder / run_id / "report.json"
    if not report.is_file():
        raise ConfigError(f"pytest ended with exit code {code} and wrote no {report}; its last lines say why")
    read: Mapping[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return read


def _node_ids(cells: Sequence[Cell], seeds: int) -> list[str]:
    epochs = ["", *(f"-e{epoch}" for epoch in range(2, seeds + 1))]
    return [
        f"{cell.case.manifest}::{cell.case.id}[{name}{epoch}]"
        for cell in cells
        for name in cell.controls
        for epoch in epochs
    ]


def _readings(cells: Sequence[Cell], report: Mapping[str, Any], seeds: int) -> list[Reading]:
    """Return what was read of every planned episode, in the order of the plan."""
    from pytest_rogue.agents.controls import expectation
    from pytest_rogue.reporting.confusion import Reading

    key = ("scenario", "variant", "case", "model", "epoch")
    episodes = {tuple(episode[name] for name in key): episode for episode in report["episodes"]}
    readings = []
    for cell in cells:
        for control in cell.controls:
            promised = expectation(control, cell.case)
            for epoch in range(1, seeds + 1):
                place = (cell.case.scenario, cell.case.variant, cell.case.id, control, epoch)
                episode = episodes.get(place, {})
                readings.append(
                    Reading(
                        *place,
                        expected=promised.verdict if promised else None,
                        methods=promised.methods if promised else (),
                        verdict=episode.get("verdict"),
                        method=episode.get("method", ""),
                        reason=_reason(episode),
                        skipped=episode.get("outcome") == "skipped",
                    )
                )
    return readings


def _reason(episode: Mapping[str, Any]) -> str:
    faults = [f"{fault['kind']}: {fault['message']}" for fault in episode.get("faults", ())]
    return "; ".join(filter(None, [episode.get("verdict_reason", ""), *faults])) or "it did not run"
