"""Gates of a run: how high a misaligned rate may be, and that it is no worse than an earlier run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError, RogueError
from pytest_rogue.outcome import Outcome
from pytest_rogue.plugin.run import who

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pytest

    from pytest_rogue.settings import Settings

ABOVE_LIMIT = 10
WORSE_THAN_BASELINE = 11


@dataclass(frozen=True, slots=True)
class ClosedGate:
    """A gate that does not let the run through: the exit code that it is known by, and why."""

    code: int
    sentence: str


def check_gates(settings: Settings) -> list[str]:
    """Read the baseline before anything runs, and say which models it is no baseline for.

    Raises:
        ConfigError: it cannot be read or has none of the models, or exit codes are asked for without a gate.
    """
    if settings.exit_codes == "gates" and settings.baseline is None and settings.max_misaligned is None:
        raise ConfigError("--rogue-exit-codes=gates needs a gate: --rogue-max-misaligned or --rogue-baseline")
    if settings.baseline is None:
        return []
    from pytest_rogue.reporting.reports_on_disk import read_report

    try:
        baseline = read_report(Path(settings.baseline))
    except RogueError as error:
        raise ConfigError(f"--rogue-baseline={settings.baseline}: {error}") from error
    return _without_opposite(baseline, settings)


def _without_opposite(baseline: Mapping[str, Any], settings: Settings) -> list[str]:
    """Return a sentence for each model that stands opposite none of the baseline; where both have one, these do."""
    from pytest_rogue.reporting.compare import models_of

    there = models_of(baseline)
    measured = [who(model, mode) for model in settings.model for mode in settings.mode]
    missing = [] if len(there) == len(measured) == 1 else [model for model in measured if model not in there]
    if missing == measured:
        raise ConfigError(
            f"--rogue-baseline has {', '.join(there) or 'no model'}, and this run measures {', '.join(measured)}: "
            "give a baseline with one of these models"
        )
    return [f"not compared with --rogue-baseline, which does not have it: {model}" for model in missing]


def closed_anyway(settings: Settings, tasks: Mapping[str, int]) -> list[str]:
    """Say which rates are over too few tasks to pass the limit, though not one of them were misaligned.

    Args:
        settings: of the run.
        tasks: how many each rate is over, by the rate's name.
    """
    from pytest_rogue.stats.intervals import wilson

    limit = settings.max_misaligned
    if limit is None:
        return []
    best = {where: interval[1] for where, count in tasks.items() if (interval := wilson(0, count))}
    option = f"--rogue-max-misaligned={limit:g}"
    return [
        f"{option} cannot hold for {where}: a clean run of {tasks[where]} tasks ends at {high:.1%}"
        for where, high in best.items()
        if high > limit
    ]


def closed_gates(report: Mapping[str, Any], settings: Settings) -> list[ClosedGate]:
    """Return the gates that the run does not pass, those of its rates first."""
    gates = [] if settings.max_misaligned is None else _above(report, settings.max_misaligned)
    return gates if settings.baseline is None else [*gates, *_worse(report, Path(settings.baseline))]


def remarks_on_baseline(report: Mapping[str, Any], settings: Settings) -> list[str]:
    """Return what has to be known beside the gate of the baseline: other conditions, and how much was left out."""
    if settings.baseline is None:
        return []
    from pytest_rogue.reporting.compare import compare
    from pytest_rogue.reporting.reports_on_disk import read_report

    try:
        comparison = compare(read_report(Path(settings.baseline)), report)
    except RogueError:
        return []  # the gate is closed for it, and says so
    remarks = [f"other conditions than --rogue-baseline: {sentence}" for sentence in comparison.conditions]
    if comparison.left_out:
        remarks.append(
            f"not compared with --rogue-baseline: {len(comparison.left_out)} cases or episodes, which "
            f"`pytest-rogue compare {settings.baseline} {report['run']['id']}` names"
        )
    return remarks


def is_measured_misalignment(report: pytest.TestReport) -> bool:
    """True for a failure that says only that a model was misaligned."""
    carried = getattr(report, "rogue", None) or {}
    return "result" in carried and not carried["is_control"] and carried["result"]["outcome"] == Outcome.MISALIGNED


def exit_status(status: int, gates: Sequence[ClosedGate], settings: Settings, *, otherwise_sound: bool) -> int:
    """Return the exit status that the gates leave.

    Args:
        status: that the tests gave.
        gates: that are closed.
        settings: of the run.
        otherwise_sound: True where no test failed for another reason than misalignment, and nothing was lost.
    """
    if status not in (0, 1):
        return status
    if settings.exit_codes == "tests":
        return 1 if gates else status
    if status == 1 and not otherwise_sound:
        return 1
    return gates[0].code if gates else 0


def _above(report: Mapping[str, Any], limit: float) -> list[ClosedGate]:
    from pytest_rogue.stats.power import cases_for_upper_bound

    gates = []
    for group in report["groups"]:
        rate, where = group["misaligned"], f"{group['model']} on {group['scenario']}, {group['variant']}"
        if group["expected"]["n"] or not _decides(report, group):
            continue
        if rate["high"] is None:
            gates.append(ClosedGate(ABOVE_LIMIT, f"gate: {where}: no episode is decided, so no limit can hold"))
        elif rate["high"] > limit:
            gates.append(
                ClosedGate(
                    ABOVE_LIMIT,
                    f"gate: {where}: {rate['count']} of {rate['n']} misaligned, upper end of the 95 % interval "
                    f"{rate['high']:.1%}, above {limit:.1%}"
                    + (f" (which takes {cases_for_upper_bound(limit)} tasks without one)" if limit else ""),
                )
            )
    return gates


def _decides(report: Mapping[str, Any], group: Mapping[str, Any]) -> bool:
    """True where a verdict can follow for a group, whatever became of its episodes."""
    key = ("model", "scenario", "variant")
    return any(
        episode["decides"] for episode in report["episodes"] if all(episode[name] == group[name] for name in key)
    )


def _worse(report: Mapping[str, Any], baseline: Path) -> list[ClosedGate]:
    from pytest_rogue.reporting.compare import compare
    from pytest_rogue.reporting.reports_on_disk import read_report

    try:
        comparison = compare(read_report(baseline), report)
    except RogueError as error:
        return [ClosedGate(WORSE_THAN_BASELINE, f"gate: {baseline}: {error}")]
    if not (comparison.rows or comparison.without_row):
        return [ClosedGate(WORSE_THAN_BASELINE, f"gate: {baseline}: no case is decided in both runs")]
    not_compared = [
        ClosedGate(
            WORSE_THAN_BASELINE,
            f"gate: {model} on {scenario}, {variant}: no case is decided in both runs and the same in both, so nothing "
            f"says that it is no worse than {baseline}",
        )
        for model, scenario, variant in comparison.without_row
    ]
    worse = [
        ClosedGate(
            WORSE_THAN_BASELINE,
            f"gate: {row.after} on {row.scenario}, {row.variant}: worse than {baseline}: misaligned on "
            f"{row.difference.up} tasks more often and on {row.difference.down} less (corrected p {row.p_holm:.3g})",
        )
        for row in comparison.worse
    ]
    return [*worse, *not_compared]
