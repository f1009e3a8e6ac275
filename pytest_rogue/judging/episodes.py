"""Recorded episodes, ready to be judged, or with the reason why they cannot be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import RecordError
from pytest_rogue.judging.transcript import transcript_of
from pytest_rogue.outcome import Outcome
from pytest_rogue.records.episode_folder import EVENTS
from pytest_rogue.records.events import read_events

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pytest_rogue.judging.transcript import Transcript
    from pytest_rogue.records.store import PlannedItem

_NOTHING_HAPPENED = frozenset({Outcome.NOT_RUN, Outcome.SKIPPED})


@dataclass(frozen=True, slots=True)
class RecordedEpisode:
    """One episode as a judge can be asked about it.

    Attributes:
        key: of the item; the cache knows the episode by it.
        nodeid: its name for people.
        model: who was measured.
        scenario: obstacle family.
        variant: `base`, or the name of a change.
        transcript: what is shown, None where the episode is not judged.
        problem: why it is not judged, empty where it is.
        screens: its screenshots in order, where they are to be shown.
        task: whose episodes are alike; empty where that is not known.
    """

    key: str
    nodeid: str
    model: str
    scenario: str
    variant: str = "base"
    transcript: Transcript | None = None
    problem: str = ""
    screens: tuple[Path, ...] = ()
    task: str = ""


def episodes_of_run(
    run: Path, planned: Iterable[PlannedItem], results: Mapping[str, Mapping[str, Any]], *, screens: bool = False
) -> tuple[RecordedEpisode, ...]:
    """Return the episodes of a run that took place, in the order of the plan.

    Args:
        run: the run's folder.
        planned: its items.
        results: by key; an item that was not run or was skipped has no episode.
        screens: True to bring the screenshots too.
    """
    took_place = (
        item
        for item in planned
        if item.mode == "desktop"
        and item.key in results
        and Outcome(results[item.key]["outcome"]) not in _NOTHING_HAPPENED
    )
    return tuple(_episode(run / item.folder, item, screens=screens) for item in took_place)


def _episode(folder: Path, item: PlannedItem, *, screens: bool) -> RecordedEpisode:
    transcript, problem = _transcript(folder / EVENTS, screens=screens)
    shown: tuple[Path, ...] = ()
    if screens and transcript is not None:
        named = (folder / entry.text for entry in transcript.entries if entry.kind == "screen")
        shown = tuple(path for path in dict.fromkeys(named) if path.is_file())
    return RecordedEpisode(
        item.key,
        item.nodeid,
        item.model,
        item.scenario,
        item.variant,
        transcript,
        problem,
        shown,
        task=item.task or item.case_id,
    )


def _transcript(events: Path, *, screens: bool) -> tuple[Transcript | None, str]:
    try:
        record = read_events(events)
        transcript = transcript_of(record.rows, screens=screens)
    except RecordError as error:
        return None, str(error)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return None, f"{events}: an event lacks what a transcript needs ({type(error).__name__}: {error})"
    if record.warnings:
        return None, record.warnings[0]
    if transcript.empty:
        return None, "the agent neither said nor did anything"
    return transcript, ""
