"""An episode as it was lived: what the screen showed, what the agent thought of it, what it did, what came of it.

A *moment* is one picture of the screen with everything that happened until the next one. So an action belongs to the
moment whose picture the agent acted on, and the desktop's evidence to the moment during which it was recorded.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import RecordError
from pytest_rogue.records.episode_folder import EVENTS
from pytest_rogue.records.events import read_events

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Row = dict[str, Any]

_BOOKKEEPING = frozenset({"seq", "time", "elapsed", "event"})
_TOLD_ELSEWHERE = frozenset({"episode.started", "obstacle.armed", "check"})


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that was recorded beside the agent's own doing.

    Attributes:
        name: the event, `obstacle.appeared` for instance.
        facts: what was recorded of it.
        at: when, between this moment (0) and the next (1).
        evidence: True where the desktop itself recorded it.
    """

    name: str
    facts: Row
    at: float = 0.0
    evidence: bool = False


@dataclass(slots=True)
class Moment:
    """One picture of the screen, and what happened until the next.

    Attributes:
        screen: the event `screen`; empty where the record begins without one.
        decision: the event `decision` that answered this picture, None where the agent was not asked.
        actions: the events `action`: the one that was executed here, and those that were withheld after it.
        happenings: all the rest, in order of time.
    """

    screen: Row = field(default_factory=dict)
    decision: Row | None = None
    actions: list[Row] = field(default_factory=list)
    happenings: list[Happening] = field(default_factory=list)

    @property
    def step(self) -> int | None:
        """The agent's turn that is taken here, or that has led here; None where the record does not say."""
        rows = [self.decision, *self.actions, self.screen]
        return next((row["step"] for row in rows if row and isinstance(row.get("step"), int)), None)


@dataclass(frozen=True, slots=True)
class Timeline:
    """An episode's record.

    Attributes:
        moments: oldest first.
        started: the event `episode.started`, empty where it is missing.
        obstacle: the obstacle's words and trigger as they were laid, empty for none.
        evidence: rows of the desktop's own record.
        warnings: one sentence for everything that is missing or damaged.
    """

    moments: tuple[Moment, ...] = ()
    started: Row = field(default_factory=dict)
    obstacle: Row = field(default_factory=dict)
    evidence: tuple[Row, ...] = ()
    warnings: tuple[str, ...] = ()

    def jumps(self, facts: Mapping[str, Any] | None) -> dict[str, int]:
        """Return the numbers of the moments at which the obstacle `appears` and at which it gets its `answer`.

        Args:
            facts: the report's `obstacle` of this episode, for records that do not tell it themselves.
        """
        facts = facts or {}
        seen = next((n for n, moment in enumerate(self.moments) if moment.screen.get("obstacle_visible")), None)
        found = {
            "appears": seen if seen is not None else self._told("obstacle.appeared", facts.get("appeared_step")),
            "answer": self._told("obstacle.answered", facts.get("answered_step")),
        }
        return {name: number for name, number in found.items() if number is not None}

    def _told(self, event: str, step: int | None) -> int | None:
        for number, moment in enumerate(self.moments):
            if any(happening.name == event for happening in moment.happenings):
                return number
        return _moment_of_step(self.moments, step)


def read_timeline(folder: Path) -> Timeline:
    """Read what there is of an episode's record; it never fails, what is missing stands in `warnings`."""
    try:
        events = read_events(folder / EVENTS, skip_damaged=True)
    except RecordError as error:
        return Timeline(warnings=(str(error).replace(f"{folder}/", ""),))
    warnings = tuple(warning.replace(f"{folder}/", "") for warning in events.warnings)
    return timeline_of(events.rows, warnings)


def timeline_of(rows: Sequence[Row], warnings: tuple[str, ...] = ()) -> Timeline:
    """Return the timeline of events, oldest first."""
    moments: list[Moment] = []
    evidence: list[Row] = []
    heads: dict[str, Row] = {}
    for row in rows:
        name = str(row.get("event"))
        facts = {key: value for key, value in row.items() if key not in _BOOKKEEPING}
        if name == "screen":
            moments.append(Moment(screen=row))
        elif name == "evidence":
            evidence.append(row["row"] if isinstance(row.get("row"), dict) else facts)
        elif name in _TOLD_ELSEWHERE:
            heads.setdefault(name, facts)
        else:
            moments = moments or [Moment()]
            if name == "decision":
                moments[-1].decision = row
            elif name == "action":
                moments[-1].actions.append(row)
            else:
                moments[-1].happenings.append(Happening(name, facts, 1.0))
    for row in evidence:
        _place(moments, row)
    for moment in moments:
        moment.happenings.sort(key=lambda happening: happening.at)
    armed = heads.get("obstacle.armed", {}).get("spec")
    return Timeline(
        tuple(moments),
        heads.get("episode.started", {}),
        armed if isinstance(armed, dict) else {},
        tuple(evidence),
        warnings,
    )


def _place(moments: list[Moment], row: Row) -> None:
    """Put evidence on the moment during which it was recorded: by the desktop's clock, or else by its step."""
    if not moments:
        return
    number, at = _by_clock(moments, row.get("at", row.get("clock")))
    if number is None:
        number = _moment_of_step(moments, row.get("step")) or 0
    moments[number].happenings.append(Happening(str(row.get("event")), row, at, evidence=True))


def _by_clock(moments: list[Moment], clock: Any) -> tuple[int | None, float]:
    clocks = [c for moment in moments if isinstance(c := moment.screen.get("guest_clock"), (int, float))]
    if not isinstance(clock, (int, float)) or len(clocks) < len(moments):
        return None, 0.5
    number = max(0, bisect_left(clocks, clock) - 1)
    begin, end = clocks[number], clocks[number + 1] if number + 1 < len(clocks) else clock
    return number, round(min(1.0, max(0.0, (clock - begin) / (end - begin))), 4) if end > begin else 0.0


def _moment_of_step(moments: Sequence[Moment], step: Any) -> int | None:
    """Return the number of the moment in which a step was taken; of the last one before it, where it has none."""
    if not isinstance(step, int):
        return None
    decided = [(m.decision["step"], n) for n, m in enumerate(moments) if m.decision and "step" in m.decision]
    return next((n for taken, n in reversed(decided) if taken <= step), 0 if moments else None)
