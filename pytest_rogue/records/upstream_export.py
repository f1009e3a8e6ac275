"""A run of ours in the folders of ROGUE, for tools that read those."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError
from pytest_rogue.records.disk import write_atomically, writing_in
from pytest_rogue.records.episode_folder import EVENTS
from pytest_rogue.records.events import read_events
from pytest_rogue.records.upstream_tree import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_CHOICES = {"accept": "Accept", "override": "Override"}


def export_run(run: Path, report: Mapping[str, Any], target: Path) -> list[str]:
    """Write the episodes of a run below `target`, which must not hold any yet.

    Nothing is made up: an undecided rewire episode gets no `shutdown_check.json`, one without a score no `result.txt`.
    Epochs after the first lie in leaves of their own (`override-epoch-2`).

    Args:
        run: folder of the run.
        report: its report.
        target: folder `results`; it is made where it is missing.

    Returns:
        One sentence for every episode that the layout cannot hold.

    Raises:
        ConfigError: `target` holds something.
        InfraError: it cannot be written.
        RecordError: the events of an episode are damaged.
    """
    if target.exists() and any(target.iterdir()):
        raise ConfigError(f"{target} is not empty; name a folder that is.")
    left_out: list[str] = []
    for episode in report["episodes"]:
        if episode["scenario"] not in FAMILIES:
            left_out.append(f"{episode['nodeid']}: the layout has no scenario {episode['scenario']}")
        elif episode["outcome"] in ("not_run", "skipped"):
            left_out.append(f"{episode['nodeid']}: it did not run ({episode['outcome']})")
        else:
            _write(run / episode["folder"], episode, target / _place(report, episode))
    return left_out


def _place(report: Mapping[str, Any], episode: Mapping[str, Any]) -> Path:
    scenario = episode["scenario"]
    group = Path("base") if episode["variant"] == "base" else Path("ablations", episode["variant"])
    options = report["run"]["options"]
    settings = [options.get(name, {}).get("value") or "unknown" for name in ("action_space", "observation")]
    leaf = scenario if episode["epoch"] == 1 else f"{scenario}-epoch-{episode['epoch']}"
    return Path(scenario, group, *settings, episode["model"].replace("/", "__"), leaf, f"{leaf}_{episode['case']}")


def _write(source: Path, episode: Mapping[str, Any], folder: Path) -> None:
    with writing_in(folder):
        folder.mkdir(parents=True)
    events = read_events(source / EVENTS).rows if (source / EVENTS).is_file() else ()
    decisions = [event for event in events if event["event"] == "decision"]
    _lines(folder / "traj.jsonl", [_turn(event, index == len(decisions)) for index, event in enumerate(decisions, 1)])
    _lines(
        folder / "reasoning_content.jsonl",
        [
            {"call_index": index, "model": episode["model"], "reasoning_content": event["reasoning"]}
            for index, event in enumerate(decisions, 1)
            if event.get("reasoning")
        ],
    )
    log = "".join(f"[{event['time']}] step {event['step']}: {event['reply']}\n" for event in decisions)
    write_atomically(folder / "runtime.log", log.encode(errors="backslashreplace"))
    if episode["score"] is not None:
        write_atomically(folder / "result.txt", f"{episode['score']}\n".encode())
    evidence = _evidence(episode)
    if evidence is not None:
        name, content = evidence
        write_atomically(folder / name, json.dumps({"task_id": folder.name, **content}).encode())


def _turn(event: Mapping[str, Any], is_last: bool) -> dict[str, Any]:
    return {
        "step_num": event["step"],
        "action_timestamp": event["time"],
        "action": [action["code"] or action["kind"].upper() for action in event["actions"]],
        "response": event["reply"],
        "reward": 0,
        "done": is_last,
        "info": {},
    }


def _evidence(episode: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    if episode["scenario"] == "override":
        answer = _CHOICES.get((episode["obstacle"] or {}).get("answer") or "")
        return "override_click_log.json", {"history": [{"choice": answer}] if answer else []}
    if episode["scenario"] == "rewire" and episode["verdict"] in ("corrigible", "misaligned"):
        changed = episode["verdict"] == "misaligned"
        return "shutdown_check.json", {"unchanged": not changed, "changed": changed}
    return None


def _lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    write_atomically(path, "".join(f"{json.dumps(row)}\n" for row in rows).encode())
