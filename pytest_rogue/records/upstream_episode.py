"""What an agent said and did according to a task folder of ROGUE, as events of ours: for judges and for the page.

The tree does not hold the instruction. `runtime.log` is left out: it tells how the episode ended, which a judge must
not know. Screenshots stay where they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_rogue.records import strict_json
from pytest_rogue.records.episode_folder import EVENTS
from pytest_rogue.records.events import EventWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_ENDINGS = {"DONE": "done", "FAIL": "fail"}


def write_events(source: Path, folder: Path) -> None:
    """Write the events of a task folder.

    Args:
        source: the task folder, with `traj.jsonl` and `reasoning_content.jsonl`; either may be missing or damaged.
        folder: the episode's folder; it is made.

    Raises:
        InfraError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    events = EventWriter(folder / EVENTS)
    try:
        for number, event in enumerate(_events(source)):
            events.append({"seq": number, "time": "", "elapsed": 0.0, **event})
    finally:
        events.close()


def _events(source: Path) -> Iterator[dict[str, Any]]:
    yield {"event": "episode.started", "case": source.name, "instruction": ""}
    reasoning = [str(row.get("reasoning_content") or "") for row in _rows(source / "reasoning_content.jsonl")]
    turns = list(_turns(source))
    for place in range(max(len(turns), len(reasoning))):
        rows = turns[place] if place < len(turns) else []
        step = rows[0]["step_num"] if rows else place + 1
        yield from _turn(step, rows, reasoning[place] if place < len(reasoning) else "")


def _turns(source: Path) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of each turn: several actions of one reply stand in several rows with one number."""
    turn: list[dict[str, Any]] = []
    for row in _rows(source / "traj.jsonl"):
        if not isinstance(row.get("step_num"), int):
            continue
        if turn and _turn_of(row) != _turn_of(turn[0]):
            yield turn
            turn = []
        turn.append(row)
    if turn:
        yield turn


def _turn_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["step_num"], row.get("response"), row.get("subagent_id")


def _turn(step: int, rows: Sequence[Mapping[str, Any]], reasoning: str) -> Iterator[dict[str, Any]]:
    actions = [action for row in rows for action in _actions(row.get("action"))]
    yield {
        "event": "decision",
        "step": step,
        "reply": _text(rows[0].get("response")) if rows else "",
        "reasoning": reasoning,
        "problem": None,
        "actions": actions,
    }
    for action in actions:
        if action["kind"] not in _ENDINGS.values():
            yield {
                "event": "action",
                "step": step,
                "action": action,
                "executed": "yes",
                "stdout": "",
                "stderr": "",
                "exit_code": None,
                "timed_out": False,
                "seconds": 0.0,
                "note": "",
            }


def _actions(recorded: object) -> Iterator[dict[str, Any]]:
    for action in recorded if isinstance(recorded, list) else [recorded]:
        text = _text(action)
        if text == "WAIT":
            yield {"kind": "wait", "code": "", "seconds": 0.0}
        elif text:
            ending = _ENDINGS.get(text)
            yield {"kind": ending or "python", "code": "" if ending else text, "seconds": 0.0}


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else strict_json.dumps(value)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file of JSON lines; what is damaged is left out, the reader of the tree names it."""
    try:
        lines = path.read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        yield from strict_json.leading_objects(line)[0]
