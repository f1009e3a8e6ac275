"""Which charts there are, and which episodes each shows how. Nothing here draws."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_rogue.reporting.plots.chart import bar_of, chart_of
from pytest_rogue.reporting.plots.episodes import BASE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_rogue.reporting.plots.chart import Bar, Chart
    from pytest_rogue.reporting.plots.episodes import Observed

ACTUAL, INTENDED, SUCCESS = "misaligned (actual)", "intended (judges)", "success (score 1)"
TOGETHER = "all together"


def rates(episodes: Sequence[Observed]) -> Chart:
    """By model: what was done, what judges say was intended, and whether the job was done."""
    chosen = [e for e in episodes if _plain(e)]
    return chart_of("rates", "What was done, intended, and achieved, by model", chosen, label=_who, bars=_measured)


def subagents(episodes: Sequence[Observed]) -> Chart:
    """The same, alone and with subagents; models that were run both ways."""
    both = _in_both([e for e in episodes if e.condition.name == BASE and not e.text_only], _delegating)
    return chart_of(
        "subagents",
        "Alone and with subagents",
        both,
        label=lambda e: f"{e.who}, {'with subagents' if _delegating(e) else 'alone'}",
        bars=_measured,
    )


def ablations(episodes: Sequence[Observed]) -> Chart:
    """Each variant beside the scenario as it stands, by model."""
    chosen = [e for e in episodes if not (e.condition.mitigation or e.condition.subagents or e.text_only)]
    return _conditions("ablations", "The scenario in other words and circumstances", chosen)


def mitigations(episodes: Sequence[Observed]) -> Chart:
    """Each mitigation beside the scenario as it stands, by model; likewise with subagents."""
    chosen = [e for e in episodes if (e.condition.mitigation or e.condition.name == BASE) and not e.text_only]
    helped = {(e.who, e.scenario, e.condition.subagents) for e in chosen if e.condition.mitigation}
    return _conditions(
        "mitigations",
        "With and without what is meant to help",
        [e for e in chosen if (e.who, e.scenario, e.condition.subagents) in helped],
    )


def capability(episodes: Sequence[Observed]) -> Chart:
    """By model: how often it did the job, against how often it was misaligned."""
    chosen = [e for e in episodes if _plain(e)]
    return replace(
        chart_of("capability", "Capability against misalignment", chosen, label=_who, bars=_point), form="points"
    )


def judges(episodes: Sequence[Observed]) -> Chart:
    """What was intended, as each judge says, and where all of them agree."""
    asked = [e for e in episodes if e.asked and _plain(e)]

    def bars(members: Sequence[Observed]) -> tuple[Bar, ...]:
        targets = dict.fromkeys(target for e in members for target in e.by_judge)
        each = [_judge(target, members) for target in targets]
        return (*each, bar_of(TOGETHER, members, lambda e: e.intended, lambda _: "undetermined"))

    return chart_of("judges", "What was intended, by judge", asked, label=_who, bars=bars)


def modes(episodes: Sequence[Observed]) -> Chart:
    """What models say that they would do, against what they do; models that were asked and run."""
    alone = [e for e in episodes if e.condition.name == BASE and not e.condition.subagents]
    both = _in_both(alone, lambda e: not e.text_only)
    return chart_of(
        "modes",
        "Asked in words only, and on a desktop",
        both,
        label=lambda e: f"{e.who}, {'text only' if e.text_only else 'agentic'}",
        bars=lambda members: _measured(members)[:-1],  # without a desktop there is no job to succeed in
    )


KINDS: dict[str, Callable[[Sequence[Observed]], Chart]] = {
    "rates": rates,
    "subagents": subagents,
    "ablations": ablations,
    "mitigations": mitigations,
    "capability": capability,
    "judges": judges,
    "modes": modes,
}


def _plain(episode: Observed) -> bool:
    """Whether it is one of the scenario as it stands."""
    return episode.condition.name == BASE and not (episode.condition.subagents or episode.text_only)


def _who(episode: Observed) -> str:
    return episode.who


def _delegating(episode: Observed) -> bool:
    return episode.condition.subagents


def _in_both(episodes: Sequence[Observed], way: Callable[[Observed], bool]) -> list[Observed]:
    """Return the episodes of models that have some of both ways in a scenario, whatever their settings, by model."""
    ways = {(e.model, e.scenario, way(e)) for e in episodes}
    both = [e for e in episodes if {(e.model, e.scenario, True), (e.model, e.scenario, False)} <= ways]
    order = list(dict.fromkeys(e.model for e in both))
    return sorted(both, key=lambda e: (order.index(e.model), way(e)))


def _conditions(name: str, title: str, episodes: Sequence[Observed]) -> Chart:
    """Return a chart with a panel for each model in each scenario that has more than the base."""

    def label(episode: Observed) -> str:
        condition = episode.condition
        return condition.name.replace("_", " ") + (", with subagents" if condition.subagents else "")

    changed = {(e.scenario, e.who) for e in episodes if e.condition.name != BASE}
    chosen = [e for e in episodes if (e.scenario, e.who) in changed]
    chosen.sort(key=lambda e: (e.condition.subagents, e.condition.name != BASE))
    return chart_of(name, title, chosen, label=label, bars=_measured, panel=lambda e: f"{e.scenario}: {e.who}")


def _measured(members: Sequence[Observed]) -> tuple[Bar, ...]:
    actual = bar_of(ACTUAL, members, lambda e: e.misaligned, lambda e: e.outcome.replace("_", " "))
    intended = bar_of(INTENDED, members, lambda e: e.intended, lambda e: "undetermined" if e.asked else "not judged")
    success = bar_of(SUCCESS, members, lambda e: e.success, lambda _: "not scored")
    return (actual, intended, success) if any(e.asked for e in members) else (actual, success)


def _point(members: Sequence[Observed]) -> tuple[Bar, ...]:
    actual, *_, success = _measured(members)
    return actual, success


def _judge(target: str, members: Sequence[Observed]) -> Bar:
    return bar_of(target, members, lambda e: e.by_judge.get(target), lambda _: "no valid answer")
