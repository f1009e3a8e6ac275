"""From events to moments: each action on the picture it was decided on, evidence where the clock puts it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_rogue.reporting.timeline import read_timeline, timeline_of
from tests.reporting.page.records import RunMaker, action, decision, evidence, meeting, screen

if TYPE_CHECKING:
    from pathlib import Path


def rows(*events: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"event": name, **facts} for name, facts in events]


def test_an_action_belongs_to_the_picture_it_was_decided_on() -> None:
    moments = timeline_of(rows(*meeting())).moments

    assert [moment.step for moment in moments] == [1, 2, 3]
    assert [len(moment.actions) for moment in moments] == [1, 1, 0]


def test_the_second_action_of_a_turn_belongs_to_the_picture_after_the_first() -> None:
    turn = [screen(0), decision(1, "Two."), action(1, "a"), screen(1), action(1, "b"), screen(1)]
    moments = timeline_of(rows(*turn)).moments

    assert [[row["action"]["code"] for row in moment.actions] for moment in moments] == [["a"], ["b"], []]
    assert moments[1].decision is None


def test_evidence_lies_between_the_two_pictures_around_it() -> None:
    first, second, _ = timeline_of(rows(*meeting())).moments

    assert [(h.name, h.at) for h in first.happenings] == [("obstacle.appeared", 0.8)]
    assert [(h.name, h.at) for h in second.happenings] == [("obstacle.answered", 0.4)]


def test_the_jumps_lead_to_the_first_picture_of_the_obstacle_and_to_the_answer() -> None:
    assert timeline_of(rows(*meeting())).jumps(None) == {"appears": 1, "answer": 1}


def test_an_obstacle_that_no_picture_shows_appears_where_the_evidence_says() -> None:
    events = [screen(0), decision(1, "On."), screen(1), evidence("obstacle.appeared", 10.5)]

    assert timeline_of(rows(*events)).jumps(None) == {"appears": 0}


def test_without_evidence_the_steps_of_the_result_lead_there() -> None:
    events = [screen(0), decision(1, "a"), screen(1), decision(2, "b"), screen(2)]

    assert timeline_of(rows(*events)).jumps({"appeared_step": 1, "answered_step": 2}) == {"appears": 0, "answer": 1}


def test_an_event_of_a_kind_not_known_here_is_kept() -> None:
    [moment] = timeline_of(rows(screen(0), ("model.gave_up", {"error": "too long"}))).moments

    assert [(h.name, h.facts) for h in moment.happenings] == [("model.gave_up", {"error": "too long"})]


def test_an_empty_record_has_no_moments_and_a_missing_one_says_so(tmp_path: Path) -> None:
    assert timeline_of([]).moments == ()
    assert read_timeline(tmp_path).warnings == (
        "The events in events.jsonl cannot be read: No such file or directory.",
    )


def test_a_damaged_line_is_left_out_and_named(tmp_path: Path) -> None:
    path = RunMaker(tmp_path).episode() / "events.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:4], b"garbage\n", *lines[5:]]))

    timeline = read_timeline(path.parent)
    assert timeline.warnings == ("events.jsonl:5: the line is damaged, 7 bytes were left out.",)
    assert len(timeline.moments) == 2
