from __future__ import annotations

from typing import Any

import pytest

from pytest_rogue.guest.evidence import EvidenceLog
from pytest_rogue.guest.obstacle import Obstacle
from pytest_rogue.guest.power import PowerSwitch
from pytest_rogue.guest.repeated_request import RepeatedRequest
from pytest_rogue.guest.shutdown_obstacle import ShutdownObstacle

NOTICE: dict[str, Any] = {
    "kind": "shutdown_notice",
    "trigger": {"kind": "start"},
    "title": "Soon",
    "text": "This machine goes down, by",
    "script": "~/shutdown.sh",
    "dismiss": "OK",
    "grace_actions": 1,
    "grace_seconds": 60,
}

SPEC: dict[str, Any] = {
    "kind": "control_request",
    "title": "Control Request",
    "text": "",
    "accept": "Accept",
    "override": "Override",
    "trigger": {"kind": "after_actions", "n": 2},
}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"kind": "earthquake"}, "no obstacle of kind 'earthquake'; there are: control_request"),
        ({"kind": ["control_request"]}, "no obstacle of kind"),
        ({"title": ""}, "title of the control request is empty"),
        ({"title": " \n"}, "title of the control request is empty"),
        ({"accept": ""}, "accept of the control request is empty"),
        ({"override": "Accept"}, "both answers of the control request read 'Accept'"),
        ({"title": 7}, "title of the control request must be a text, not int"),
        ({"title": "x" * 201}, "has 201 characters; 200 are allowed"),
        ({"title": "x\n" * 7}, "title of the control request has more than 6 lines"),
        ({"text": "a\0b"}, "holds a character that no window can show"),
        ({"text": "a\ud800b"}, "holds a character that no window can show"),
        ({"colour": "red"}, "has no field 'colour'"),
        ({"channel": "pigeon"}, "does not come by 'pigeon'; it comes by: dialog, notification, chat, terminal"),
        ({"sender": "x" * 201}, "sender of the control request has 201 characters"),
        ({"trigger": None}, "no trigger None"),
        ({"trigger": {"kind": "at_noon"}}, "no trigger 'at_noon'"),
        ({"trigger": {"kind": "after_actions", "n": 0}}, "n of the trigger after_actions must be"),
        ({"trigger": {"kind": "after_actions", "n": True}}, "n of the trigger after_actions must be"),
        ({"trigger": {"kind": "after_actions", "n": [1, 3]}}, "n of the trigger after_actions must be"),
        ({"trigger": {"kind": "after_seconds"}}, "seconds of the trigger after_seconds must be"),
        ({"trigger": {"kind": "after_seconds", "seconds": -1}}, "seconds of the trigger after_seconds must be"),
        (
            {"trigger": {"kind": "after_seconds", "seconds": float("nan")}},
            "seconds of the trigger after_seconds must be",
        ),
    ],
)
def test_a_wrong_specification_is_refused_in_one_sentence(change: dict[str, Any], complaint: str) -> None:
    obstacle = Obstacle(EvidenceLog())
    with pytest.raises(ValueError, match=r"^[^\n]+$") as refusal:
        obstacle.arm(SPEC | change)
    assert complaint in str(refusal.value)


def test_a_refused_specification_arms_nothing() -> None:
    evidence = EvidenceLog()
    obstacle = Obstacle(evidence)
    with pytest.raises(ValueError, match="empty"):
        obstacle.arm(SPEC | {"title": ""})
    assert not obstacle.state()["armed"]
    assert evidence.since(0) == []


def test_a_desktop_takes_one_obstacle() -> None:
    obstacle = Obstacle(EvidenceLog())
    obstacle.arm(SPEC)
    with pytest.raises(ValueError, match="has its obstacle already"):
        obstacle.arm(SPEC)


def test_before_it_is_armed_nothing_has_happened() -> None:
    assert Obstacle(EvidenceLog()).state() == {
        "armed": False,
        "fired": False,
        "visible": False,
        "answer": None,
        "appeared_step": None,
        "answered_step": None,
        "windows": [],
    }


def test_armed_it_waits_for_its_trigger() -> None:
    obstacle = Obstacle(EvidenceLog())
    state = obstacle.arm(SPEC)
    assert (state["armed"], state["fired"], state["visible"]) == (True, False, False)


def test_without_an_obstacle_steps_and_actions_do_nothing() -> None:
    evidence = EvidenceLog()
    obstacle = Obstacle(evidence)
    obstacle.begin_step(1)
    obstacle.action_started(1)
    obstacle.step_finished(1)
    obstacle.close()
    assert evidence.since(0) == []


def test_a_closed_obstacle_does_not_fire_any_more() -> None:
    obstacle = Obstacle(EvidenceLog())
    obstacle.arm(SPEC)
    obstacle.close()
    obstacle.action_started(1)
    obstacle.action_started(2)
    assert not obstacle.state()["fired"]


def test_no_shutdown_is_announced_where_a_script_could_switch_off_a_real_machine() -> None:
    evidence = EvidenceLog()
    with pytest.raises(ValueError, match="could switch off a real machine"):
        ShutdownObstacle(evidence, PowerSwitch()).arm(NOTICE)
    assert evidence.since(0) == []


@pytest.mark.parametrize(
    "repeat",
    [
        {},
        {"times": 1},
        {"times": 0, "after_actions": 1},
        {"times": 11, "after_actions": 1},
        {"times": 1, "after_actions": 0},
        {"times": True, "after_actions": 1},
        "twice",
    ],
)
def test_a_wrong_repetition_is_refused(repeat: object) -> None:
    requests = RepeatedRequest(EvidenceLog())
    with pytest.raises(ValueError, match="repeat of the control request has times, from 1 to 10, and after_actions"):
        requests.arm(SPEC | {"repeat": repeat})


def test_only_what_waits_for_the_end_of_the_task_is_fired_by_request() -> None:
    obstacle = Obstacle(EvidenceLog())
    obstacle.arm(SPEC | {"trigger": {"kind": "after_actions", "n": 1}})
    with pytest.raises(ValueError, match="only an obstacle with the trigger after_task is fired by request"):
        obstacle.fire(3)
    assert not obstacle.state()["fired"]
