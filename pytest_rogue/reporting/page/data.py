"""What the page knows: one short row for each episode, and an episode's whole story when it is opened."""

from __future__ import annotations

import base64
from dataclasses import fields
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from pytest_rogue.records.episode_folder import episode_folder_name
from pytest_rogue.reporting.gestures import Gesture, gestures_of
from pytest_rogue.reporting.timeline import Timeline, read_timeline

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_rogue.reporting.timeline import Happening, Moment, Row

LONGEST_REASON = 300
"""Characters of a reason in the table; the episode itself shows all of it."""

_ROW = (
    "nodeid",
    "case",
    "task",
    "scenario",
    "variant",
    "model",
    "epoch",
    "folder",
    "attempt",
    "expected",
    "outcome",
    "verdict",
    "method",
    "score",
    "ending",
)
_PHASES = ("setup", "arm", "loop", "evaluate")
_GESTURE = tuple(field.name for field in fields(Gesture))
_RESULT = ("stdout", "stderr", "exit_code", "timed_out", "note", "executed")


def index_of(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the overview needs: the run, its groups, judges' rates, and one row for each episode."""
    judgments = report.get("judgments") or {}
    return {
        "run": report["run"],
        "totals": report["totals"],
        "groups": report["groups"],
        "judges": judgments.get("judges", []),
        "episodes": [_row(episode) for episode in report["episodes"]],
    }


def _row(episode: Mapping[str, Any]) -> dict[str, Any]:
    seconds = [episode["seconds"].get(phase) for phase in _PHASES]
    measured = [value for value in seconds if value is not None]
    why = next((fault["message"] for fault in episode["faults"]), "") or episode["verdict_reason"]
    return {
        **{name: episode[name] for name in _ROW},
        "steps": episode["steps"] if is_counted(episode) else None,
        "name": data_name(episode),
        "seconds": round(sum(measured), 1) if measured else None,
        "why": (why or " ".join(episode["notes"]))[:LONGEST_REASON],
    }


def is_counted(episode: Mapping[str, Any]) -> bool:
    """Return True where it is known what an episode took: not of one that never began, or whose process died in it."""
    return episode["ending"] is not None or episode["verdict"] is not None


def data_name(episode: Mapping[str, Any]) -> str:
    """Return the name under which the page keeps an episode: that of its folder, whether it is there or not."""
    return PurePosixPath(episode["folder"]).name or episode_folder_name(episode["nodeid"])


def judgments_by_node(report: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return what the judges said, by node id."""
    found: dict[str, list[Any]] = {}
    for judged in (report.get("judgments") or {}).get("episodes", ()):
        found.setdefault(judged["nodeid"], []).append(judged)
    return found


def folder_of(run: Path, episode: Mapping[str, Any]) -> Path | None:
    """Return an episode's folder, None where it has none inside the run's folder."""
    folder = run / episode["folder"]
    inside = bool(episode["folder"]) and folder.resolve().is_relative_to(run.resolve())
    return folder if inside and folder.is_dir() else None


def story_of(folder: Path | None, episode: Mapping[str, Any], judgments: list[Any]) -> dict[str, Any]:
    """Return all that the page shows of one episode but its pictures; trees by their path, gzip as base64.

    Args:
        folder: of the episode, None where there is none.
        episode: its entry in the report.
        judgments: what judges said of it.
    """
    timeline = read_timeline(folder) if folder else Timeline(warnings=_without_folder(episode))
    return {
        "entry": dict(episode),
        "instruction": timeline.started.get("instruction"),
        "obstacle": timeline.obstacle,
        "jumps": timeline.jumps(episode["obstacle"]),
        "moments": [_moment(moment) for moment in timeline.moments],
        "trees": _files(folder, "texts", "a11y-*.gz"),
        "judgments": judgments,
        "warnings": list(timeline.warnings),
    }


def pictures_of(folder: Path | None) -> dict[str, str]:
    """Return the screenshots of an episode by their path in its folder: PNG, as base64."""
    return _files(folder, "screens", "*.png")


def _files(folder: Path | None, kind: str, pattern: str) -> dict[str, str]:
    found = sorted((folder / kind).glob(pattern)) if folder else []
    return {f"{kind}/{path.name}": base64.b64encode(path.read_bytes()).decode() for path in found}


def _without_folder(episode: Mapping[str, Any]) -> tuple[str, ...]:
    if not episode["attempt"]:
        return ("This item never ran.",)
    return (f"The folder {episode['folder'] or 'of this episode'} is not here; only the result is known.",)


def _moment(moment: Moment) -> dict[str, Any]:
    screen = moment.screen
    return {
        "step": moment.step,
        "elapsed": screen.get("elapsed"),
        "picture": screen.get("screenshot"),
        "tree": screen.get("a11y"),
        "tree_problem": screen.get("a11y_problem"),
        "obstacle": bool(screen.get("obstacle_visible")),
        "decision": _decision(moment.decision),
        "actions": [_action(row) for row in moment.actions],
        "happenings": [_happening(happening) for happening in moment.happenings],
    }


def _decision(row: Row | None) -> dict[str, Any] | None:
    if row is None:
        return None
    kinds = [action.get("kind") for action in row.get("actions") or () if isinstance(action, dict)]
    return {
        **{name: row.get(name) for name in ("step", "reply", "reasoning", "problem", "finish_reason", "usage")},
        "ends": next((kind for kind in kinds if kind in ("done", "fail")), None),
    }


def _action(row: Row) -> dict[str, Any]:
    action = row["action"] if isinstance(row.get("action"), dict) else {}
    code = str(action.get("code") or "")
    return {
        "kind": action.get("kind"),
        "code": code,
        "wait": action.get("seconds"),
        "took": row.get("seconds"),
        **{name: row.get(name) for name in _RESULT},
        "gestures": [{name: getattr(gesture, name) for name in _GESTURE} for gesture in gestures_of(code)],
    }


def _happening(happening: Happening) -> dict[str, Any]:
    return {
        "name": happening.name,
        "at": happening.at,
        "evidence": happening.evidence,
        "facts": {key: value for key, value in happening.facts.items() if key not in ("previous", "event")},
    }
