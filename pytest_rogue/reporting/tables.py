"""A run as data frames, and as CSV and Parquet files. Needs the extra `analysis`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from pytest_rogue.errors import ConfigError
from pytest_rogue.records import strict_json
from pytest_rogue.records.disk import write_atomically
from pytest_rogue.reporting.page.data import folder_of, is_counted
from pytest_rogue.reporting.run_report import report_of
from pytest_rogue.reporting.timeline import read_timeline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import pandas as pd

    from pytest_rogue.reporting.timeline import Moment, Row, Timeline

Form = Literal["csv", "parquet"]

_PLAIN = (
    "case",
    "case_hash",
    "task",
    "scenario",
    "variant",
    "model",
    "mode",
    "epoch",
    "seed",
    "folder",
    "attempt",
    "retried",
)
_RESULT = ("expected", "outcome", "verdict", "verdict_reason", "method", "score", "score_reason", "ending")
_EPISODES = {
    **dict.fromkeys(("nodeid", *_PLAIN, *_RESULT), "string"),
    **dict.fromkeys(("epoch", "seed", "attempt", "steps", "actions"), "Int64"),
    "retried": "boolean",
    "score": "Float64",
    **dict.fromkeys(("seconds", "agent_seconds", "cost"), "Float64"),
    **dict.fromkeys(("calls", "retries", "prompt_tokens", "completion_tokens"), "Int64"),
    "obstacle": "string",
    **dict.fromkeys(("appeared_step", "met_step", "answered_step"), "Int64"),
    "answer": "string",
    **dict.fromkeys(("faults", "notes", "warnings"), "string"),
}
_STEPS = {
    "nodeid": "string",
    "step": "Int64",
    "elapsed": "Float64",
    "obstacle_visible": "boolean",
    **dict.fromkeys(("screenshot", "reply", "reasoning", "problem", "finish_reason", "code"), "string"),
    "executed": "string",
    **dict.fromkeys(("stdout", "stderr"), "string"),
    **dict.fromkeys(("actions", "prompt_tokens", "completion_tokens"), "Int64"),
    "cost": "Float64",
}
_EVIDENCE = {
    "nodeid": "string",
    "seq": "Int64",
    "clock": "Float64",
    "step": "Int64",
    "event": "string",
    "facts": "string",
}


@dataclass(frozen=True, slots=True)
class RunFrames:
    """A run as data frames; a value that was not measured is missing (`NA`), never 0.

    Attributes:
        episodes: one row for each planned episode, by `nodeid`.
        steps: one row for each turn of an agent.
        evidence: one row for everything that a desktop recorded; `facts` is JSON.
    """

    episodes: pd.DataFrame
    steps: pd.DataFrame
    evidence: pd.DataFrame


def load_run(path: Path) -> RunFrames:
    """Return the data frames of a run's folder.

    Raises:
        ConfigError: pandas is not installed, or there is no run.
        RecordError: the report is damaged. Damaged events are left out and named in the column `warnings`.
    """
    report = report_of(path)
    episodes: list[Row] = []
    steps: list[Row] = []
    evidence: list[Row] = []
    for entry in report["episodes"]:
        folder = folder_of(path, entry)
        timeline = read_timeline(folder) if folder else None
        episodes.append(_episode(entry, timeline))
        if timeline:
            steps += _steps(entry["nodeid"], timeline)
            evidence += _evidence(entry["nodeid"], timeline)
    return RunFrames(_frame(episodes, _EPISODES), _frame(steps, _STEPS), _frame(evidence, _EVIDENCE))


def write_tables(run: Path, form: Form, folder: Path) -> list[Path]:
    """Write `episodes`, `steps` and `evidence` as files of a form into a folder; return their paths.

    Raises:
        ConfigError: a library is missing.
        InfraError: the folder cannot be written.
    """
    frames = load_run(run)
    paths = []
    for name in ("episodes", "steps", "evidence"):
        frame = getattr(frames, name)
        if form == "parquet":
            _needs("pyarrow")
        data = frame.to_csv(index=False).encode() if form == "csv" else frame.to_parquet(index=False)
        paths.append(folder / f"{name}.{form}")
        write_atomically(paths[-1], data)
    return paths


def _needs(library: str) -> Any:
    import importlib

    try:
        return importlib.import_module(library)
    except ImportError:
        message = f"{library} is not installed, and tables are made with it: pip install 'pytest-rogue[analysis]'"
        raise ConfigError(message) from None


def _frame(rows: list[Row], kinds: Mapping[str, str]) -> pd.DataFrame:
    pandas = _needs("pandas")
    # An empty text is a missing one: CSV cannot tell them apart, and no form of a run should say more than another.
    columns = {
        name: pandas.array([None if row.get(name) == "" else row.get(name) for row in rows], dtype=kind)
        for name, kind in kinds.items()
    }
    frame: pd.DataFrame = pandas.DataFrame(columns)
    return frame


def _episode(entry: Mapping[str, Any], timeline: Timeline | None) -> Row:
    seconds, obstacle = entry["seconds"], entry["obstacle"] or {}
    phases = [seconds[phase] for phase in ("setup", "arm", "loop", "evaluate") if seconds.get(phase) is not None]
    took = {"steps": entry["steps"], "actions": entry["actions"], **entry["usage"]} if is_counted(entry) else {}
    return {
        **{name: entry[name] for name in ("nodeid", *_PLAIN, *_RESULT)},
        **took,
        **obstacle,
        "seconds": sum(phases) if phases else None,
        "agent_seconds": seconds.get("agent"),
        "obstacle": obstacle.get("kind"),
        "faults": "\n".join(f"{fault['kind']}: {fault['message']}" for fault in entry["faults"]) or None,
        "notes": "\n".join(entry["notes"]) or None,
        "warnings": ("\n".join(timeline.warnings) if timeline else None) or None,
    }


def _steps(nodeid: str, timeline: Timeline) -> Iterator[Row]:
    """Yield one row for each decision, with what its actions gave, also those that follow on later pictures."""
    moments = timeline.moments
    begins = [number for number, moment in enumerate(moments) if moment.decision]
    for begin, end in pairwise([*begins, len(moments)]):
        yield _step(nodeid, moments[begin], [row for moment in moments[begin:end] for row in moment.actions])


def _step(nodeid: str, moment: Moment, actions: list[Row]) -> Row:
    decision = moment.decision or {}
    usage = decision.get("usage") or {}
    return {
        "nodeid": nodeid,
        **{name: decision.get(name) for name in ("step", "elapsed", "reply", "reasoning", "problem", "finish_reason")},
        "screenshot": moment.screen.get("screenshot"),
        "obstacle_visible": moment.screen.get("obstacle_visible"),
        "actions": len(actions),
        "code": _lines((row.get("action") or {}).get("code") for row in actions),
        "executed": " ".join(str(row.get("executed")) for row in actions) or None,
        "stdout": _lines(row.get("stdout") for row in actions),
        "stderr": _lines(row.get("stderr") for row in actions),
        **{name: usage.get(name) for name in ("prompt_tokens", "completion_tokens", "cost")},
    }


def _lines(texts: Iterator[str | None]) -> str | None:
    return "\n".join(text for text in texts if text) or None


def _evidence(nodeid: str, timeline: Timeline) -> Iterator[Row]:
    for row in timeline.evidence:
        known = {name: row.get(name) for name in ("seq", "clock", "step", "event")}
        facts = {name: value for name, value in row.items() if name not in known and name != "previous"}
        yield {"nodeid": nodeid, **known, "facts": strict_json.dumps(facts)}
