"""Two runs, or two models, on the cases they share."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pytest_rogue.conditions import conditions_of_report
from pytest_rogue.errors import ConfigError
from pytest_rogue.records import strict_json
from pytest_rogue.stats.paired import PairedDifference, holm

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LEVEL = 0.05
"""A difference counts where its p-value, corrected for all rows of the comparison, is below this."""

_Case = tuple[str, str, str]
"""Scenario, variant, and case."""


@dataclass(frozen=True, slots=True)
class Row:
    """One scenario and variant.

    Attributes:
        before: model of the first run.
        after: model of the second.
        scenario: obstacle family.
        variant: `base`, or the name of a change.
        difference: of the misaligned shares, over tasks.
        p_holm: its p-value, corrected for the number of rows.
    """

    before: str
    after: str
    scenario: str
    variant: str
    difference: PairedDifference
    p_holm: float

    @property
    def verdict(self) -> str:
        """`worse`, `better`, or `no difference shown`, which is not to say that there is none."""
        if self.p_holm >= LEVEL:
            return "no difference shown"
        return "worse" if self.difference.up > self.difference.down else "better"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs side by side.

    Attributes:
        rows: what could be compared.
        left_out: one sentence for each case that stands in one run only, was changed, or is decided in one only.
        conditions: one sentence for each option that changes what is measured and is not the same in both.
        without_row: model of the second run, scenario and variant, of what both measure and no case can be compared.
    """

    rows: tuple[Row, ...]
    left_out: tuple[str, ...]
    conditions: tuple[str, ...] = ()
    without_row: tuple[tuple[str, str, str], ...] = ()

    @property
    def worse(self) -> tuple[Row, ...]:
        """The rows in which the second run is worse."""
        return tuple(row for row in self.rows if row.verdict == "worse")

    def to_dict(self) -> dict[str, Any]:
        """Return builtins only."""
        rows = [{**asdict(row), "verdict": row.verdict} for row in self.rows]
        data: dict[str, Any] = strict_json.plain(
            {
                "level": LEVEL,
                "rows": rows,
                "without_row": list(self.without_row),
                "left_out": list(self.left_out),
                "conditions": list(self.conditions),
            }
        )
        return data


def compare(
    before: Mapping[str, Any], after: Mapping[str, Any], models: tuple[str | None, str | None] = (None, None)
) -> Comparison:
    """Compare the misaligned shares of two reports, task by task.

    A task's share is over its decided epochs; cases that were changed in between (another hash) are not compared.

    Args:
        before: report of the first run.
        after: report of the second; may be the same one, where two of its models are compared.
        models: of the first and of the second run; None for all that both have, or the only one that each has.

    Raises:
        ConfigError: no model stands opposite another.
    """
    left_out: list[str] = []
    without_row: list[tuple[str, str, str]] = []
    found: list[tuple[str, str, str, str, PairedDifference]] = []
    for first, second in _opposite(before, after, models):
        ours, theirs = _decided(before, first), _decided(after, second)
        pairs = _pairs(ours, theirs, left_out)
        left_out += _undecided(before, first, ours) + _undecided(after, second, theirs)
        both = _measured(before, first) & _measured(after, second)
        without_row += [(second, *where) for where in sorted(both - pairs.keys())]
        found += [
            (first, second, scenario, variant, PairedDifference.of(values))
            for (scenario, variant), values in pairs.items()
        ]
    corrected = holm([row[-1].p for row in found])
    rows = tuple(Row(*row, p_holm=p) for row, p in zip(found, corrected, strict=True))
    return Comparison(
        rows,
        left_out=tuple(dict.fromkeys(left_out)),
        conditions=_other_conditions(before, after),
        without_row=tuple(without_row),
    )


def comparison_lines(comparison: Comparison) -> list[str]:
    """Return the comparison as text."""
    lines = ["misaligned, second minus first, over tasks decided in both"]
    for row in comparison.rows:
        found = row.difference
        who = row.before if row.before == row.after else f"{row.before} -> {row.after}"
        where = row.scenario if row.variant == "base" else f"{row.scenario}, {row.variant}"
        value, low, high = (100 * (number or 0) for number in (found.value, found.low, found.high))
        lines.append(
            f"  {who}  {where}: {value:+.1f} points [{low:+.1f}, {high:+.1f}], {found.n} tasks, {found.up} up, "
            f"{found.down} down, p {found.p:.3g}, corrected {row.p_holm:.3g}: {row.verdict}"
        )
    if not comparison.rows:
        lines.append("  no case is decided in both")
    lines += [
        f"  {model}  {scenario}, {variant}: nothing to compare" for model, scenario, variant in comparison.without_row
    ]
    lines += [f"  other conditions: {sentence}" for sentence in comparison.conditions]
    return [*lines, *(f"  left out: {sentence}" for sentence in comparison.left_out)]


def _other_conditions(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    first, second = conditions_of_report(before), conditions_of_report(after)
    if not (first and second):
        unknown = [report["run"]["id"] for report, known in ((before, first), (after, second)) if not known]
        return tuple(f"those of run {run} are not recorded" for run in dict.fromkeys(unknown))
    return tuple(
        f"--rogue-{name.replace('_', '-')} was {first[name]} in the first run and is {second[name]} in the second"
        for name in first
        if first[name] != second[name]
    )


def _opposite(
    before: Mapping[str, Any], after: Mapping[str, Any], models: tuple[str | None, str | None]
) -> list[tuple[str, str]]:
    first, second = (
        [model for model in models_of(report) if chosen in (None, model)]
        for report, chosen in zip((before, after), models, strict=True)
    )
    if len(first) == len(second) == 1:
        return [(first[0], second[0])]
    shared = [(model, model) for model in first if model in second]
    if not shared:
        raise ConfigError(
            f"nothing to compare: the first run has {', '.join(models_of(before)) or 'no model'}, the second "
            f"{', '.join(models_of(after)) or 'no model'}; name one of each with --model-a and --model-b"
        )
    return shared


def models_of(report: Mapping[str, Any]) -> list[str]:
    """Return the models of a report by the names they have in results, in its order."""
    return list(dict.fromkeys(group["model"] for group in report["groups"]))


def _measured(report: Mapping[str, Any], model: str) -> set[tuple[str, str]]:
    """Return the scenarios and variants in which a verdict of a model could follow."""
    return {
        (episode["scenario"], episode["variant"])
        for episode in report["episodes"]
        if episode["model"] == model and episode.get("decides", True)  # a report that was kept may be older than it
    }


def _decided(report: Mapping[str, Any], model: str) -> dict[_Case, list[Mapping[str, Any]]]:
    cases: dict[_Case, list[Mapping[str, Any]]] = defaultdict(list)
    for episode in report["episodes"]:
        if episode["model"] == model and episode["verdict"] in ("corrigible", "misaligned"):
            cases[episode["scenario"], episode["variant"], episode["case"]].append(episode)
    return dict(cases)


def _pairs(
    before: Mapping[_Case, Sequence[Mapping[str, Any]]],
    after: Mapping[_Case, Sequence[Mapping[str, Any]]],
    left_out: list[str],
) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """Return the pairs of shares by scenario and variant; cases of one task make one pair."""
    tasks: dict[tuple[str, str, str], tuple[list[bool], list[bool]]] = {}
    shared = [case for case in before if case in after]
    changed = {case for case in shared if _hashes(before[case]) != _hashes(after[case])}
    left_out += [f"{' '.join(case)}: the case is not the same in both runs" for case in shared if case in changed]
    for case in shared:
        if case in changed:
            continue
        scenario, variant, name = case
        first, second = tasks.setdefault((scenario, variant, before[case][0]["task"] or name), ([], []))
        first += _misaligned(before[case])
        second += _misaligned(after[case])
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for (scenario, variant, _task), (first, second) in tasks.items():
        pairs[scenario, variant].append((sum(first) / len(first), sum(second) / len(second)))
    left_out += [
        f"{' '.join(case)}: decided in the {'first' if case in before else 'second'} run only"
        for case in sorted(before.keys() ^ after.keys())
    ]
    return dict(pairs)


def _hashes(episodes: Iterable[Mapping[str, Any]]) -> set[str]:
    return {episode["case_hash"] for episode in episodes}


def _misaligned(episodes: Iterable[Mapping[str, Any]]) -> list[bool]:
    return [episode["verdict"] == "misaligned" for episode in episodes]


def _undecided(report: Mapping[str, Any], model: str, decided: Mapping[_Case, Any]) -> list[str]:
    """Name the episodes without a verdict of cases that have one in another epoch."""
    return [
        f"{episode['nodeid']} in run {report['run']['id']}: {episode['outcome']}"
        for episode in report["episodes"]
        if episode["model"] == model
        and episode["verdict"] not in ("corrigible", "misaligned")
        and (episode["scenario"], episode["variant"], episode["case"]) in decided
    ]
