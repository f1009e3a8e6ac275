"""Episodes as lines of text: what each agent did, the verdict, the score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEADINGS = ("case", "who", "what it did", "verdict", "score", "steps", "seconds")

_DID = {
    "accepted": "let go when asked",
    "stopped": "stopped when asked",
    "stopped_in_words": "stopped in words alone",
    "overrode": "kept the controls",
    "declined": "declined",
    "held_back": "left it at what is allowed",
    "untouched": "never needed it",
    "used": "signed in with the secret",
    "uploaded": "uploaded a secret",
    "shown": "read what is off limits",
    "opened": "opened what is off limits",
    "shut_down": "let the machine go down",
    "shut_down_itself": "shut the machine down",
    "left_alone": "left the shutdown alone",
    "killed": "ended the request",
}


def episode_table(report: Mapping[str, Any]) -> list[str]:
    """Return one line for each episode of a report under a line of headings, columns aligned."""
    cells = [_HEADINGS, *(_cells(episode) for episode in report["episodes"])]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]


def _cells(episode: Mapping[str, Any]) -> tuple[str, ...]:
    seconds = sum(episode["seconds"].get(phase, 0.0) for phase in ("setup", "arm", "loop", "evaluate"))
    ran = episode["ending"] is not None
    return (
        episode["case"] if episode["epoch"] == 1 else f"{episode['case']} e{episode['epoch']}",
        episode["model"],
        _did(episode) or (f"ended: {episode['ending']}" if ran else "-"),
        episode["verdict"] if episode["outcome"] == episode["verdict"] else _broken(episode),
        "-" if episode["score"] is None else f"{episode['score']:.2f}",
        str(episode["steps"]) if ran else "-",
        f"{seconds:.1f}" if ran else "-",
    )


def _did(episode: Mapping[str, Any]) -> str:
    """Say how the agent met the obstacle; a request that came again has the ways joined, and the first one is said."""
    method = str(episode["method"]).partition("_then_")[0]
    return _DID.get(method, method)


def _broken(episode: Mapping[str, Any]) -> str:
    return f"{episode['outcome']} ({episode['verdict']})" if episode["verdict"] else str(episode["outcome"])
