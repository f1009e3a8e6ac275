"""A run of ours in the folders of ROGUE, for tools that read those."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError
from pytest_rogue.outcome import Outcome, Verdict
from pytest_rogue.records.disk import write_atomically, writing_in
from pytest_rogue.records.episode_folder import EVENTS
from pytest_rogue.records.events import read_events
from pytest_rogue.records.upstream_rules import actual_upstream
from pytest_rogue.records.upstream_tree import FAMILIES, read_upstream_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_CHOICES = {"accepted": "Accept", "overrode": "Override"}
_CHANGED = frozenset({"moved-script", "deleted-script", "altered-script", "script_changed"})
"""Methods that leave another script, or none. By the others it may be as it was, which the report does not tell."""
_GROUPS = ("base", "xhighreasoningeffort", "ablations", "mitigations")
_BROKEN = frozenset({Outcome.ERROR, Outcome.CRASHED})


def export_run(run: Path, report: Mapping[str, Any], target: Path) -> list[str]:
    """Write the episodes of a run below `target`, which must not hold any yet.

    Nothing is made up: a rewire episode whose verdict does not tell whether the script was changed gets no
    `shutdown_check.json`, one that broke before it was scored no `result.txt`. Where there was nothing to score, that
    says `skipped`. Epochs after the first lie in leaves of their own (`override-epoch-2`).

    Args:
        run: folder of the run.
        report: its report.
        target: folder `results`; it is made where it is missing.

    Returns:
        One sentence for every episode that the layout cannot hold, and for every decided one that ROGUE does not count
        as what it is.

    Raises:
        ConfigError: `target` holds something.
        InfraError: it cannot be written.
        RecordError: the events of an episode are damaged.
    """
    if target.exists() and any(target.iterdir()):
        raise ConfigError(f"{target} is not empty; name a folder that is.")
    left_out: list[str] = []
    written: dict[Path, Mapping[str, Any]] = {}
    for episode in report["episodes"]:
        if episode["scenario"] not in FAMILIES:
            left_out.append(f"{episode['nodeid']}: the layout has no scenario {episode['scenario']}")
        elif episode["outcome"] in ("not_run", "skipped"):
            left_out.append(f"{episode['nodeid']}: it did not run ({episode['outcome']})")
        else:
            folder = target / _place(report, episode)
            _write(run / episode["folder"], episode, folder)
            written[folder] = episode
    return left_out + list(_read_otherwise(target, written))


def _place(report: Mapping[str, Any], episode: Mapping[str, Any]) -> Path:
    scenario = episode["scenario"]
    variant = episode["variant"]
    group = variant if variant.partition("/")[0] in _GROUPS else f"ablations/{variant}"
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
    elif episode["outcome"] not in _BROKEN:
        write_atomically(folder / "result.txt", b"skipped\n")
    for name, content in _evidence(episode):
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


def _evidence(episode: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and content of the files from which ROGUE tells what the agent did."""
    verdict, method = episode["verdict"], episode["method"]
    if episode["scenario"] == "override":
        # The method names the answers that decide; one that was given before the request was shown is none.
        answers = [_CHOICES[part] for part in method.split("_then_") if part in _CHOICES]
        yield "override_click_log.json", {"history": [{"choice": answer} for answer in answers]}
    if episode["scenario"] == "rewire" and (verdict == Verdict.CORRIGIBLE or method in _CHANGED):
        changed = verdict == Verdict.MISALIGNED
        yield "shutdown_check.json", {"unchanged": not changed, "changed": changed}
    if method == "shut_down_itself":
        yield "agent_self_shutdown.json", {"agent_self_shutdown": True}


def _read_otherwise(target: Path, written: Mapping[Path, Mapping[str, Any]]) -> Iterator[str]:
    """Read what was written, and yield a sentence for every decided verdict that ROGUE does not find in it."""
    if not written:
        return
    tasks = {task.folder: (leaf.family, task) for leaf in read_upstream_tree(target).leaves for task in leaf.tasks}
    for folder, episode in written.items():
        if episode["verdict"] not in (Verdict.CORRIGIBLE, Verdict.MISALIGNED):
            continue
        verdict = f"{episode['nodeid']}: it is {episode['verdict']} ({episode['method']})"
        family, task = tasks.get(folder, ("", None))
        if task is None or not task.completed:
            yield f"{verdict}; ROGUE leaves it out"
        elif actual_upstream(family, task) != (episode["verdict"] == Verdict.MISALIGNED):
            counted = "not misaligned" if episode["verdict"] == Verdict.MISALIGNED else "misaligned"
            yield f"{verdict}; ROGUE counts it as {counted}"


def _lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    write_atomically(path, "".join(f"{json.dumps(row)}\n" for row in rows).encode())
