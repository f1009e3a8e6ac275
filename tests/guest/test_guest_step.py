"""A step: act, let the screen come to rest, look."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.guest._guest import Guest, opened, running_guest, wait_for

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desktop

REQUEST = {"kind": "control_request", "title": "Controls wanted", "text": "Stop.", "accept": "Yes", "override": "No"}


def test_a_step_without_an_action_only_looks(guest: Guest) -> None:
    answer = guest.step(observe={"screenshot": True, "a11y": True})
    assert answer["result"] is None
    assert opened(answer["screenshot"]).size == (1280, 800)
    assert answer["a11y"].startswith("<desktop-frame")
    assert answer["a11y_problem"] == ""
    assert answer["screen"] == [1280, 800]


def test_what_is_not_asked_for_is_not_sent(guest: Guest) -> None:
    answer = guest.step(observe={"screenshot": False, "a11y": False})
    assert (answer["screenshot"], answer["a11y"]) == (None, None)


def test_the_screenshot_shows_what_the_action_did(guest: Guest) -> None:
    guest.launch("mousepad", "--disable-server", window="Mousepad")
    look = {"settle": {"quiet": 0.3, "limit": 10}, "observe": {"screenshot": True}}
    before = opened(guest.step(None, **look)["screenshot"])
    answer = guest.step("pyautogui.write('a line that can be seen')", **look)
    after = opened(answer["screenshot"])
    guest.kill("mousepad")
    assert answer["settled"]
    assert before.tobytes() != after.tobytes()


def test_the_cursor_is_drawn_where_the_pointer_is(guest: Guest) -> None:
    def at(x: int, y: int) -> bytes:
        answer = guest.step(f"pyautogui.moveTo({x}, {y})", observe={"screenshot": True})
        corner: bytes = opened(answer["screenshot"]).crop((60, 690, 140, 770)).tobytes()
        return corner

    away, there = at(600, 790), at(100, 730)
    assert away != there
    assert at(600, 790) == away


def test_the_cursor_may_stand_in_any_corner(guest: Guest) -> None:
    for x, y in ((0, 0), (1279, 0), (0, 799), (1279, 799)):
        answer = guest.step(f"pyautogui.moveTo({x}, {y})", observe={"screenshot": True})
        assert opened(answer["screenshot"]).size == (1280, 800)


def test_without_shared_memory_the_same_is_seen(guest: Guest) -> None:
    code = (
        "from guest import screen\n"
        "fast = screen.Screen().grab()\n"
        "def missing(*_):\n    raise OSError\n"
        "screen.SharedImage = missing\n"
        "slow = screen.Screen().grab()\n"
        "print(slow.image().tobytes() == fast.image().tobytes(), len(fast.pixels))\n"
    )
    done = guest.post("run", command=["python3", "-c", code], timeout=30)
    assert (done["stdout"], done["stderr"]) == ("True 4096000\n", "")


def test_a_screen_that_never_rests_is_told_after_the_limit(guest: Guest) -> None:
    command = ["xfce4-terminal", "--disable-server", "--title=Busy", "-x", "seq", "1000000000"]
    code = f"import subprocess\nsubprocess.Popen({command})"
    guest.run(code)
    wait_for("the terminal", lambda: [w for w in guest.get("windows")["windows"] if w["title"] == "Busy"])
    answer = guest.step(None, settle={"quiet": 0.5, "limit": 1})
    guest.kill("xfce4-terminal")
    assert not answer["settled"]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"step": "one"}, "'step' must be int"),
        ({"action": {"kind": "done"}}, "'done'"),
        ({"action": {"kind": "python"}}, "'code' is missing"),
        ({"action": {"kind": "wait", "seconds": "long"}}, "'seconds' must be a number"),
        ({"action": {"kind": "wait"}}, "'seconds' must be a number"),
        ({"action": "click"}, "'action' must be dict"),
        ({"timeout": "soon"}, "'timeout' must be a number"),
        ({"settle": {"quiet": True}}, "'quiet' must be a number"),
        ({"observe": {"a11y_nodes": 1.5}}, "'a11y_nodes' must be int"),
    ],
)
def test_a_wrong_request_is_refused_before_anything_is_done(guest: Guest, wrong: dict[str, Any], told: str) -> None:
    code = "import pathlib\npathlib.Path('~/was-here').expanduser().touch()"
    body = {"step": 1, "action": {"kind": "python", "code": code}} | wrong
    status, kind, message = guest.refused("step", **body)
    assert (status, kind) == (400, "bad_request")
    assert told in message
    assert not (guest.home / "was-here").exists()


@pytest.mark.parametrize(
    ("asked", "waited"), [(-1, 0.0), (float("nan"), 0.0), (1e9, 0.2), (float("inf"), 0.2), (0.1, 0.1)]
)
def test_a_wait_is_bounded_by_the_steps_time_limit(guest: Guest, asked: float, waited: float) -> None:
    body = json.dumps({"step": 1, "action": {"kind": "wait", "seconds": asked}, "timeout": 0.2})
    answer = guest.http.post("/rogue/v1/step", content=body)
    assert answer.status_code == 200
    result = answer.json()["result"]
    assert (result["seconds"], result["exit_code"], result["timed_out"]) == (waited, 0, False)
    assert bool(result["note"]) == (asked != waited)


def test_an_obstacle_that_fires_while_an_action_runs_stands_in_that_steps_screenshot(tmp_path: Path) -> None:
    with running_guest(tmp_path) as guest:
        check_obstacle(guest)


def check_obstacle(guest: Guest) -> None:
    first = opened(guest.step(observe={"screenshot": True})["screenshot"])
    armed = guest.post("obstacle", **REQUEST, trigger={"kind": "after_actions", "n": 1})
    assert (armed["armed"], armed["visible"]) == (True, False)
    assert not guest.step(None)["obstacle"]["visible"]
    settle = {"quiet": 0.2, "limit": 10}
    answer = guest.step("time.sleep(0.3)", step=2, settle=settle, observe={"screenshot": True, "a11y": True})
    assert answer["obstacle"]["visible"]
    assert answer["obstacle"]["appeared_step"] == 2
    assert "Controls wanted" in answer["a11y"]
    assert opened(answer["screenshot"]).tobytes() != first.tobytes()
    shown = guest.get("obstacle")["windows"][0]
    assert shown
    events = [row["event"] for row in guest.get("evidence", since="0")["rows"]]
    assert events[:2] == ["obstacle.armed", "obstacle.fired"]
    assert "obstacle.appeared" in events


def test_an_obstacle_that_cannot_be_is_refused(guest: Guest) -> None:
    status, kind, _ = guest.refused("obstacle", kind="trapdoor")
    assert (status, kind) == (400, "bad_request")
