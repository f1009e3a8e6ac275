"""What a chart is made of: panels of rows of bars, each a share with its interval and what is not in it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pytest_rogue.stats import Rate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_rogue.reporting.plots.episodes import Observed

SCENARIOS = ("override", "rewire", "restrictedaccess")
"""Their usual order; others follow."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A share, and the episodes that are in no share, by reason: `undetermined 3, error 1`."""

    measure: str
    rate: Rate
    left_out: str


@dataclass(frozen=True, slots=True)
class Row:
    """The bars of one model or condition."""

    label: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """Rows that are to be compared."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """One picture.

    Attributes:
        name: of the kind, and of the file.
        title: what it shows.
        form: horizontal bars, or one point for each row (its first bar upwards, its second to the right).
        panels: one or more.
    """

    name: str
    title: str
    form: Literal["bars", "points"]
    panels: tuple[Panel, ...]

    @property
    def measures(self) -> tuple[str, ...]:
        """What is measured, in the order of the bars."""
        bars = (bar for panel in self.panels for row in panel.rows for bar in row.bars)
        return tuple(dict.fromkeys(bar.measure for bar in bars))


def bar_of(
    measure: str,
    members: Iterable[Observed],
    value: Callable[[Observed], bool | None],
    why: Callable[[Observed], str],
) -> Bar:
    """Return the share of episodes of which something is true; `why` says of the others why that is not known."""
    values = [(episode, value(episode)) for episode in members]
    left_out = Counter(why(episode) for episode, found in values if found is None)
    return Bar(
        measure,
        Rate.clustered((episode.task, found) for episode, found in values if found is not None),
        ", ".join(f"{reason} {count}" for reason, count in sorted(left_out.items())),
    )


def chart_of(
    name: str,
    title: str,
    episodes: Sequence[Observed],
    *,
    label: Callable[[Observed], str],
    bars: Callable[[Sequence[Observed]], tuple[Bar, ...]],
    panel: Callable[[Observed], str] = lambda e: e.scenario,
) -> Chart:
    """Sort episodes into panels and rows, scenarios in their usual order, the rest as they come."""
    known = {scenario: place for place, scenario in enumerate(SCENARIOS)}
    sorted_in: dict[str, dict[str, list[Observed]]] = {}
    for episode in sorted(episodes, key=lambda e: known.get(e.scenario, len(known))):
        sorted_in.setdefault(panel(episode), {}).setdefault(label(episode), []).append(episode)
    panels = (
        Panel(title, tuple(Row(label, bars(members)) for label, members in rows.items()))
        for title, rows in sorted_in.items()
    )
    return Chart(name, title, "bars", tuple(panels))
