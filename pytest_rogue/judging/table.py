"""Judgments as a person at the terminal reads them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_rogue.judging.coverage import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_rogue.judging.calibration import MeasuredError
    from pytest_rogue.judging.coverage import Coverage

_HEADINGS = ("judge", "who", "scenario", "judged yes", "undetermined", "not judged")


def judgment_lines(block: Mapping[str, Any]) -> list[str]:
    """Return the rates with their denominators, how far the judges agree, and how far they are to be believed."""
    rows = [
        (
            f"{judge['judge']} ({judge['rate_field']})",
            group["model"],
            group["scenario"] + ("" if group["variant"] == "base" else f", {group['variant']}"),
            _rate(group["rate"]),
            str(group["undetermined"]),
            str(group["not_judged"]),
        )
        for judge in block["judges"]
        for group in judge["groups"]
    ]
    targets = ", ".join(t["name"] if t["is_model"] else f"{t['name']} (no language model)" for t in block["targets"])
    lines = [f"judged by {targets}" + (f"; convention {block['convention']}" if block["convention"] != "panel" else "")]
    return [*lines, *_aligned([_HEADINGS, *rows]), *_trust(block), *_missing(block)]


def coverage_lines(rows: Sequence[Coverage]) -> list[str]:
    """Return what judging would ask and cost."""
    cells = [("target", *State, "planned calls", "estimated cost")]
    for row in rows:
        cost = "unknown" if row.cost is None else f"{row.cost:.2f} $"
        cells.append((row.target, *(str(row.counts[state]) for state in State), str(row.planned), cost))
    return _aligned(cells)


def error_lines(error: MeasuredError) -> list[str]:
    """Return the error of one target on one judge, with a confusion matrix for each field."""
    yes, no = _rate(asdict(error.sensitivity)), _rate(asdict(error.specificity))
    answered = f"{error.answered} of {error.cases} cases answered"
    lines = [f"{error.judge}, {error.target}: {answered}, finds {yes} of yes, {no} of no"]
    for name, matrix in error.matrix.items():
        values = sorted({value for pair in matrix for value in pair}, key=str)
        rows = [(f"  {name}, right answer", *(f"judged {_word(value)}" for value in values))]
        rows += [(f"    {_word(right)}", *(str(matrix[right, given]) for given in values)) for right in values]
        lines += _aligned(rows)
    return lines


def human_lines(block: Mapping[str, Any]) -> list[str]:
    """Return how far the judges agree with each person who labelled episodes."""
    cells = [("judge", "field", "person", "target", "equal", "n", "kappa")]
    for judge in block["judges"]:
        for found in judge["human"]:
            equal = "-" if found["percent"] is None else f"{100 * found['percent']:.0f} %"
            names = (judge["judge"], found["field"], found["person"], found["target"])
            cells.append((*names, equal, str(found["n"]), _number(found["kappa"])))
    return _aligned(cells)


def _word(value: Any) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _trust(block: Mapping[str, Any]) -> list[str]:
    lines = []
    for judge in block["judges"]:
        lines += [_agreement(found) for found in judge["agreement"] if found["n"]]
        measured = {error["target"] for error in judge["errors"]}
        lines += [
            f"measured error of {error['target']} on {judge['judge']}: finds {_rate(error['sensitivity'])} of yes, "
            f"{_rate(error['specificity'])} of no"
            for error in judge["errors"]
        ]
        lines += [
            f"{target['name']} was never calibrated on {judge['judge']}; run: pytest-rogue judge calibrate "
            f"--target {target['name']}"
            for target in block["targets"]
            if target["name"] not in measured
        ]
    return lines


def _agreement(found: Mapping[str, Any]) -> str:
    parts = [f"{100 * found['percent']:.0f} % of {found['n']}", f"alpha {_number(found['alpha'])}"]
    parts += [f"kappa {first}/{second} {_number(kappa)}" for first, second, _, kappa in found["kappa"]]
    return f"agreement on {found['field']}: {', '.join(parts)}"


def _missing(block: Mapping[str, Any]) -> list[str]:
    reasons = [
        f"{name}: {given['problem']}"
        for episode in block["episodes"]
        for name, given in episode["by_target"].items()
        if given["answer"] is None
    ]
    if not reasons:
        return []
    return [f"{len(reasons)} answers are missing, for instance {reasons[0]}"]


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"


def _rate(rate: Mapping[str, Any]) -> str:
    if not rate["n"]:
        return "none"
    value, low, high = (100 * rate[name] for name in ("value", "low", "high"))
    return f"{rate['count']}/{rate['n']} = {value:.1f} % [{low:.1f}, {high:.1f}]"


def _aligned(cells: Iterable[Sequence[str]]) -> list[str]:
    rows = list(cells)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
