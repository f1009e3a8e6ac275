"""The episodes of some reports, with all that a chart can sort or count them by."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_rogue.conditions import conditions_of_report
from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

BASE = "base"
MITIGATIONS = frozenset({"precedence", "direct_command"})
"""Variants of the packaged scenarios that tell the agent to go along; of an imported tree, `mitigations/NAME`."""

_DRAWN_TOGETHER = frozenset({"seed", "subagents"})
"""Of the conditions of an episode: seeds are repetitions, and subagents are a `Condition`."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What a variant changes.

    Attributes:
        name: `base`, or the variant without what only says that the agent may delegate.
        mitigation: True where the change is meant to help.
        subagents: True where the agent may delegate.
    """

    name: str
    mitigation: bool
    subagents: bool

    @classmethod
    def of(cls, variant: str, *, subagents: bool = False) -> Condition:
        """Return what a variant changes.

        Args:
            variant: as the report names it; of an imported tree for instance `subagents/mitigations/NAME`.
            subagents: whether the whole run was one with subagents.
        """
        delegating = re.match(r"subagents($|[/_])", variant)
        name = (variant[delegating.end() :] if delegating else variant) or BASE
        kind, _, rest = name.partition("/")
        mitigation = kind == "mitigations" or name in MITIGATIONS
        return cls(rest or name, mitigation, subagents or bool(delegating))


@dataclass(frozen=True, slots=True)
class Observed:
    """One planned episode.

    Attributes:
        model: who was measured.
        who: the model, with the settings that tell it from itself in another run.
        scenario: obstacle family.
        condition: what its variant changes.
        text_only: True where the agent was asked in words only, without a desktop.
        task: episodes of one task are alike.
        outcome: what became of it, in the report's words.
        misaligned: whether the verdict is so; None where none was decided.
        success: whether the score is 1; None where it was not measured.
        asked: whether judges were asked what the agent intended.
        intended: what the judges together say; None where they say nothing.
        by_judge: what each of them says, None where one gave no valid answer.
    """

    model: str
    who: str
    scenario: str
    condition: Condition
    text_only: bool
    task: str
    outcome: str
    misaligned: bool | None
    success: bool | None
    asked: bool
    intended: bool | None
    by_judge: Mapping[str, bool | None]


def observed(reports: Sequence[Mapping[str, Any]]) -> tuple[Observed, ...]:
    """Return the episodes of all reports.

    Raises:
        ConfigError: one run is there twice, and would count double.
    """
    names = [report["run"]["id"] for report in reports]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigError(f"the run {twice[0]} is named twice, and would count double; name each run once.")
    return tuple(
        episode
        for report, settings in zip(reports, _told_apart(reports), strict=True)
        for episode in _episodes(report, settings)
    )


def _told_apart(reports: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return for each report what tells its models from themselves in another one, empty where nothing does."""
    all_conditions = [conditions_of_report(report) for report in reports]
    known = [conditions for conditions in all_conditions if conditions]
    differing = [
        name
        for name in (known[0] if known else ())
        if name not in _DRAWN_TOGETHER and len({_value(conditions[name]) for conditions in known}) > 1
    ]
    unknown = ", conditions not recorded" if known else ""
    return [
        "".join(f", {name} {_value(conditions[name])}" for name in differing) if conditions else unknown
        for conditions in all_conditions
    ]


def _value(value: Any) -> str:
    if value in (None, []):
        return "none"
    return "+".join(map(str, value)) if isinstance(value, list) else str(value)


def _episodes(report: Mapping[str, Any], settings: str) -> Iterable[Observed]:
    subagents = report["run"]["options"].get("subagents", {}).get("value") is True
    intents = _intents(report)
    for entry in report["episodes"]:
        judged = intents.get(entry["nodeid"])
        variant, effort = entry["variant"], ""
        if variant == "xhighreasoningeffort":  # in an imported tree: another effort, not another scenario
            variant, effort = BASE, ", high effort"
        yield Observed(
            model=entry["model"],
            who=entry["model"] + effort + settings,
            scenario=entry["scenario"],
            condition=Condition.of(variant, subagents=subagents),
            text_only=entry.get("mode") == "textonly",
            task=entry["task"] or entry["case"],
            outcome=entry["outcome"],
            misaligned={"misaligned": True, "corrigible": False}.get(entry["verdict"]),
            success=None if entry["score"] is None else entry["score"] == 1,
            asked=judged is not None,
            intended=judged[0] if judged else None,
            by_judge=judged[1] if judged else {},
        )


def _intents(report: Mapping[str, Any]) -> dict[str, tuple[bool | None, dict[str, bool | None]]]:
    """Return by node id what the judges of intent say, together and each; `SCENARIO_intent` is the judge's name."""
    block = report.get("judgments") or {"judges": (), "episodes": ()}
    fields = {judge["judge"]: judge["rate_field"] for judge in block["judges"] if judge["judge"].endswith("_intent")}
    return {
        judged["nodeid"]: (
            _said(judged["answer"], field),
            {target: _said(given["answer"], field) for target, given in judged["by_target"].items()},
        )
        for judged in block["episodes"]
        if (field := fields.get(judged["judge"]))
    }


def _said(answer: Mapping[str, Any] | None, field: str) -> bool | None:
    value = (answer or {}).get(field)
    return value if isinstance(value, bool) else None
