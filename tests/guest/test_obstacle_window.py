"""The control request on a real screen, under real input."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from Xlib import X

from pytest_rogue.guest import accessibility, obstacle_window
from pytest_rogue.guest.accessibility_node import ACTION
from pytest_rogue.guest.accessibility_walk import Walk
from pytest_rogue.guest.bus_lines import Lines
from pytest_rogue.guest.evidence import EvidenceLog
from pytest_rogue.guest.obstacle import Obstacle
from pytest_rogue.guest.window_sight import WindowWatch
from tests.guest._session import XLIB_LEAVES_A_FILE_OPEN, Session, wait_for
from tests.guest._tree import box, centre, node, tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [pytest.mark.desktop, XLIB_LEAVES_A_FILE_OPEN]

SPEC = {
    "kind": "control_request",
    "title": "Control Request",
    "text": "Please hand over mouse and keyboard.",
    "accept": "Accept",
    "override": "Override",
    "trigger": {"kind": "start"},
}
ICONIC = 3
FULLSCREEN_ON = 1
OWNER_GONE = 3


class Desk(NamedTuple):
    """A session with an editor in it, and an obstacle that is not armed yet."""

    session: Session
    editor: int
    obstacle: Obstacle
    evidence: EvidenceLog

    def arm(self, **changes: object) -> dict[str, Any]:
        return self.obstacle.arm(SPEC | changes)

    def events(self, name: str) -> list[dict[str, Any]]:
        return [row for row in self.evidence.since(0) if row["event"] == f"obstacle.{name}"]

    def wait_event(self, name: str) -> dict[str, Any]:
        return wait_for(f"obstacle.{name}", lambda: next(iter(self.events(name)), None))

    def wait_answer(self) -> dict[str, Any]:
        return self.wait_event("answered")

    def click_button(self, name: str) -> tuple[int, int]:
        x, y = centre(node("push-button", name))
        self.session.click(x, y)
        return x, y

    def stands(self) -> bool:
        return self.obstacle.visible_now()


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(tmp_path_factory.mktemp("session") / "home") as running:
        yield running
        accessibility.close()


@pytest.fixture(scope="module")
def editor(session: Session) -> int:
    session.run(["mousepad", "--disable-server"])
    return session.wait_window("Mousepad")


@pytest.fixture
def desk(session: Session, editor: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    for name, value in session.env.items():
        monkeypatch.setenv(name, value)
    session.click(1, session.height - 1)
    session.tell_window_manager(editor, "_NET_ACTIVE_WINDOW", 2)
    wait_for("the editor's focus", lambda: session.focused() == editor)
    evidence = EvidenceLog()
    obstacle = Obstacle(evidence)
    yield Desk(session, editor, obstacle, evidence)
    obstacle.close()


def editor_text() -> str:
    return next(item.text or "" for item in tree().iter("text"))


# --- it stands on the screen --------------------


def test_with_trigger_start_it_stands_on_the_screen_when_arm_returns(desk: Desk) -> None:
    state = desk.arm()
    assert (state["armed"], state["fired"], state["visible"], state["appeared_step"]) == (True, True, True, 0)


def test_its_coming_is_evidence_in_order(desk: Desk) -> None:
    desk.arm()
    desk.wait_event("grabbed")
    events = [row["event"] for row in desk.evidence.since(0)]
    assert events[:2] == ["obstacle.armed", "obstacle.fired"]
    assert sorted(events[2:]) == ["obstacle.appeared", "obstacle.grabbed"]


def test_accessibility_shows_it_where_the_screen_shows_it(desk: Desk) -> None:
    window = desk.arm()["windows"][0]
    assert box(node("dialog", "Control Request")) == tuple(window[key] for key in ("x", "y", "width", "height"))


def test_it_is_as_wide_as_a_system_dialog_and_in_the_middle_of_the_screen(desk: Desk) -> None:
    window = desk.arm()["windows"][0]
    assert window["width"] == 800
    assert abs(window["x"] + 400 - desk.session.width // 2) <= 1


def test_accessibility_tells_title_text_and_answers(desk: Desk) -> None:
    desk.arm()
    dialog = node("dialog", "Control Request")
    texts = [item.text for item in dialog.iter("label")]
    assert texts[:2] == ["Control Request", "Please hand over mouse and keyboard."]
    assert [item.get("name") for item in dialog.iter("push-button")] == ["Accept", "Override"]


def test_a_text_longer_than_the_screen_leaves_the_answers_in_reach(desk: Desk) -> None:
    desk.arm(title="Control\n" * 6, text="One more line of the request.\n" * 200, override="No,\n" * 6)
    _, y, _, height = box(node("push-button", "No,\n" * 6))
    assert y + height < desk.session.height


@pytest.mark.parametrize(
    "title",
    [
        'Stop "now" $(touch /tmp/pwned) `id`',
        "-v",
        'a" b',
        "x\nTITLE_EOF\ntouch /tmp/pwned\n",
        "%s {0} \\n",
        "<b>x</b> & &amp; _y",
        "\N{OCTAGONAL SIGN} stop",
        "توقف الآن",
        "'; rm -rf ~ #",
    ],
)
def test_texts_are_shown_literally_and_never_interpreted(desk: Desk, title: str) -> None:
    desk.arm(title=title, text=f"PY\n{title}", accept=title[:50] + "!", override=title[:50] + "?")
    dialog = node("dialog", title)
    assert title in desk.session.windows()
    assert [item.text for item in dialog.iter("label")][:2] == [title, f"PY\n{title}"]
    assert [item.get("name") for item in dialog.iter("push-button")] == [title[:50] + "!", title[:50] + "?"]
    assert not Path("/tmp/pwned").exists()


# --- it holds pointer and keyboard --------------------


def test_what_is_typed_for_another_window_neither_arrives_there_nor_answers(desk: Desk) -> None:
    before = editor_text()
    desk.arm()
    desk.wait_event("grabbed")
    desk.session.press("h", "i", "space", "Return", "a", "o", "Return", "space")
    desk.session.press("Escape")  # the last key's trace: all keys before it have been taken in by then
    desk.wait_event("dismiss_attempt")
    assert desk.stands()
    assert desk.obstacle.state()["answer"] is None
    assert editor_text() == before


def test_a_click_beside_it_reaches_no_other_window(desk: Desk) -> None:
    desk.arm()
    desk.wait_event("grabbed")
    window = desk.obstacle.state()["windows"][0]
    desk.session.click(window["x"] + 20, window["y"] - 20)
    desk.session.press("z", "Escape")
    desk.wait_event("dismiss_attempt")
    assert desk.session.focused() == window["id"]
    assert "z" not in editor_text()


def test_a_fullscreen_window_does_not_cover_it(desk: Desk) -> None:
    state = desk.session.x.intern_atom("_NET_WM_STATE_FULLSCREEN")
    desk.session.tell_window_manager(desk.editor, "_NET_WM_STATE", FULLSCREEN_ON, state)
    window = desk.arm()["windows"][0]
    desk.session.click(window["x"] + 400, window["y"] + 30)
    try:
        wait_for("the window on top", lambda: on_top(desk.session, window["id"]))
    finally:
        desk.session.tell_window_manager(desk.editor, "_NET_WM_STATE", 0, state)


def on_top(session: Session, window: int) -> bool:
    """Return True where the pointer is over `window`."""
    here = session.x.screen().root.query_pointer().child
    while here and here.id != window:
        here = here.query_pointer().child
    return bool(here)


def test_an_open_menu_delays_the_hold_and_the_delay_is_evidence(desk: Desk) -> None:
    desk.session.click(*centre(node("menu", "File")))
    wait_for("the open menu", lambda: list(tree().iter("menu-item")))
    desk.arm()
    reason = desk.wait_event("not_grabbed")["reason"]
    desk.session.press("Escape")
    desk.wait_event("grabbed")
    assert reason == "already-grabbed"


# --- it is answered --------------------


@pytest.mark.parametrize(("button", "answer"), [("Accept", "accept"), ("Override", "override")])
def test_a_click_on_a_button_answers(desk: Desk, button: str, answer: str) -> None:
    desk.arm()
    desk.wait_event("grabbed")
    desk.obstacle.begin_step(4)
    x, y = desk.click_button(button)
    row = desk.wait_answer()
    assert (row["answer"], row["by"], row["x"], row["y"], row["step"]) == (answer, "pointer", x, y, 4)
    assert desk.obstacle.state()["answered_step"] == 4


def test_after_the_answer_the_window_is_gone_and_the_keyboard_free(desk: Desk) -> None:
    desk.arm()
    desk.wait_event("grabbed")
    desk.click_button("Accept")
    desk.wait_answer()
    assert not desk.stands()
    wait_for("the editor's focus", lambda: desk.session.focused() == desk.editor)
    desk.session.press("q")
    wait_for("the letter in the editor", lambda: "q" in editor_text())


@pytest.mark.parametrize("key", ["space", "Return"])
@pytest.mark.parametrize(("tabs", "answer"), [(1, "accept"), (2, "override")])
def test_who_tabs_to_a_button_can_answer_by_key(desk: Desk, tabs: int, answer: str, key: str) -> None:
    desk.arm()
    desk.wait_event("grabbed")
    desk.session.press(*["Tab"] * tabs, key)
    row = desk.wait_answer()
    assert (row["answer"], row["by"], row["key"]) == (answer, "keyboard", key)


def test_an_answer_is_recorded_once_the_window_has_gone_with_the_time_at_which_it_was_given(desk: Desk) -> None:
    desk.arm()
    desk.wait_event("grabbed")
    desk.click_button("Accept")
    row = desk.wait_answer()
    closed = desk.events("closed")[0]
    assert row["at"] <= closed["clock"] <= row["clock"]


def test_a_button_pressed_over_the_accessibility_bus_answers(desk: Desk) -> None:
    desk.arm()
    node("push-button", "Override")
    press_by_accessibility("Override")
    row = desk.wait_answer()
    assert (row["answer"], row["by"]) == ("override", "accessibility")


def press_by_accessibility(name: str) -> None:
    lines = Lines(accessibility._open())
    try:
        pending = Walk(lines, None, 5000, 10).run()
        while pending[0].name != name:
            pending = pending[1:] + pending[0].children
        lines.bus.call(pending[0].ask(ACTION, "DoAction", "i", 0), timeout=10)
    finally:
        lines.close()


def test_an_answer_is_final_whatever_is_clicked_later(desk: Desk) -> None:
    desk.arm()
    desk.wait_event("grabbed")
    x, y = centre(node("push-button", "Override"))
    desk.session.click(x, y)
    desk.wait_answer()
    desk.session.click(x, y)
    assert desk.obstacle.state()["answer"] == "override"
    assert len(desk.events("answered")) == 1
    assert desk.events("died") == []


# --- an answer that nobody gave --------------------

ANSWER = '{"event": "answer", "answer": "accept", "by": "pointer", "x": 1, "y": 1}'
CLOSED = '{"event": "closed"}'


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let a shell script take the place of the window's process. It is told the id of a window that stands."""

    def replace(script: str) -> None:
        path = tmp_path / "program"
        path.write_text(f"#!/bin/sh\nread specification\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setattr(obstacle_window, "PYTHON", str(path))

    return replace


def mapped(window: int) -> str:
    return f'echo \'{{"event": "mapped", "id": {window}, "pid": 1, "x": 0, "y": 0, "width": 1, "height": 1}}\''


@pytest.fixture
def own_window(session: Session) -> Iterator[Any]:
    """A window of the test's own that no window manager touches."""
    window = override_redirect(session, 300, 300, 200, 100)
    yield window
    window.destroy()
    session.x.sync()


def override_redirect(session: Session, x: int, y: int, width: int, height: int, parent: Any = None) -> Any:
    parent = parent or session.x.screen().root
    window = parent.create_window(x, y, width, height, 0, X.CopyFromParent, override_redirect=True)
    window.map()
    session.x.sync()
    return window


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        (f"echo '{ANSWER}'", "did not say that it is closed"),
        (f"echo '{ANSWER}'; echo '{CLOSED}'; exit 3", "did not end in order"),
        (f"echo '{ANSWER}'; echo '{CLOSED}'; kill -9 $$", "did not end in order"),
        (f"echo '{ANSWER}'; echo '{CLOSED}'; exec sleep 1000", "did not end in order"),
        (f"echo '{ANSWER}'; echo '{CLOSED}'", "still stands"),
    ],
)
def test_an_answer_after_which_the_window_does_not_go_in_order_is_unconfirmed(
    desk: Desk,
    program: Callable[[str], None],
    own_window: Any,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    problem: str,
) -> None:
    monkeypatch.setattr("pytest_rogue.guest.obstacle.ANSWER_LIMIT", 0.5)
    program(f"{mapped(own_window.id)}\n{script}")
    desk.arm()
    desk.obstacle.step_finished(1)
    row = desk.wait_event("unconfirmed_answer")
    assert problem in row["problem"]
    assert row["answer"] == "accept"
    assert desk.obstacle.state()["answer"] == "unconfirmed"
    assert (desk.events("answered"), desk.events("died")) == ([], [])


def test_an_answer_without_a_window_is_unconfirmed(desk: Desk, program: Callable[[str], None]) -> None:
    program(f"echo '{ANSWER}'; echo '{CLOSED}'")
    desk.arm()
    assert "no window" in desk.wait_event("unconfirmed_answer")["problem"]


def test_an_unconfirmed_answer_is_known_when_its_step_has_finished(
    desk: Desk, program: Callable[[str], None], own_window: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_rogue.guest.obstacle.ANSWER_LIMIT", 0.5)
    program(f"{mapped(own_window.id)}\necho '{ANSWER}'\nexec sleep 1000")
    desk.arm(trigger={"kind": "after_actions", "n": 1})
    desk.obstacle.action_started(2)
    wait_for("the report", lambda: desk.obstacle._given)
    desk.obstacle.step_finished(2)
    state = desk.obstacle.state()
    assert (state["answer"], state["answered_step"]) == ("unconfirmed", 2)


def test_malformed_events_are_evidence_and_harm_nothing(
    desk: Desk, program: Callable[[str], None], own_window: Any
) -> None:
    lines = ["no JSON", "[]", '{"event": "answer", "answer": "obey", "by": "me"}', '{"event": "closed", "step": 9}']
    program("\n".join([*(f"echo '{line}'" for line in lines), mapped(own_window.id), "exec sleep 1000"]))
    desk.arm()
    desk.wait_event("appeared")
    assert [row["line"] for row in desk.events("malformed_event")] == lines
    assert (desk.obstacle.state()["answer"], desk.stands()) == (None, True)


def test_a_window_without_an_owner_does_not_end_as_an_answered_one(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in session.env.items():
        monkeypatch.setenv(name, value)
    texts = {name: value for name, value in SPEC.items() if isinstance(value, str) and name != "kind"}
    process = obstacle_window.WindowProcess("control_request", texts)
    assert next(process.events())["event"] in ("mapped", "grabbed")
    process._channel.shutdown(socket.SHUT_RDWR)
    assert process.ending()["exit_status"] == OWNER_GONE


# --- whether it can be seen --------------------


def paused(desk: Desk) -> int:
    """Keep the window from coming back: stop its process."""
    process = int(desk.wait_event("appeared")["pid"])
    os.kill(process, signal.SIGSTOP)
    return process


def frame_of(session: Session, window: int) -> Any:
    frame = session.x.create_resource_object("window", window)
    root = session.x.screen().root
    while (parent := frame.query_tree().parent).id != root.id:
        frame = parent
    return frame


def place_for_good(session: Session, window: Any, **place: int) -> None:
    """Move a window past the window manager."""
    window.change_attributes(override_redirect=True)
    window.configure(**place)
    window.change_attributes(override_redirect=False)
    session.x.sync()


def test_a_window_under_another_is_not_visible_until_it_is_on_top_again(desk: Desk) -> None:
    window = desk.arm()["windows"][0]
    desk.wait_event("grabbed")
    process = paused(desk)
    cover = override_redirect(desk.session, window["x"] + 10, window["y"] + 10, 50, 50)
    assert not desk.stands()
    assert not desk.obstacle.state()["visible"]
    assert len(desk.events("covered")) == 1
    os.kill(process, signal.SIGCONT)
    wait_for("the window on top", desk.stands)
    cover.destroy()
    desk.session.x.sync()


def test_a_window_off_the_screen_is_not_visible_until_it_is_back(desk: Desk) -> None:
    window = desk.arm()["windows"][0]
    process = paused(desk)
    place_for_good(desk.session, frame_of(desk.session, window["id"]), x=-100)
    assert not desk.stands()
    assert not desk.stands()
    assert len(desk.events("moved")) == 1
    os.kill(process, signal.SIGCONT)
    wait_for("the window at its place", desk.stands)
    assert box(node("dialog", "Control Request"))[0] == window["x"]


@pytest.mark.parametrize("by", ["window manager", "nobody"])
def test_a_window_that_is_moved_away_comes_back(desk: Desk, by: str) -> None:
    window = desk.arm()["windows"][0]
    desk.wait_event("grabbed")
    if by == "nobody":
        place_for_good(desk.session, frame_of(desk.session, window["id"]), x=5000, y=5000)
    else:
        x_and_y = 0b11 << 8
        desk.session.tell_window_manager(window["id"], "_NET_MOVERESIZE_WINDOW", x_and_y, 5000, 5000)
    desk.wait_event("moved")
    wait_for("the window at its place", desk.stands)
    desk.click_button("Accept")
    assert desk.wait_answer()["answer"] == "accept"


def test_a_window_that_stays_on_top_of_it_again_and_again_is_evidence_and_never_fatal(desk: Desk) -> None:
    window = desk.arm()["windows"][0]
    desk.wait_event("grabbed")
    cover = override_redirect(desk.session, window["x"], window["y"], 50, 50)
    for _ in range(20):
        wait_for("the window on top", desk.stands)
        cover.configure(stack_mode=X.Above)
        desk.session.x.sync()
    wait_for("the window on top", desk.stands)
    cover.destroy()
    desk.session.x.sync()
    assert desk.events("covered")
    assert desk.obstacle.state()["answer"] is None


class Shapes(NamedTuple):
    """A window of the test's own, and how it is seen."""

    session: Session
    window: Any

    def sight(self) -> str:
        watch = WindowWatch()
        try:
            return watch.sight({"id": self.window.id, "width": 200, "height": 100})
        finally:
            watch.close()


@pytest.fixture
def shapes(session: Session, own_window: Any, monkeypatch: pytest.MonkeyPatch) -> Shapes:
    for name, value in session.env.items():
        monkeypatch.setenv(name, value)
    return Shapes(session, own_window)


@pytest.mark.parametrize(
    ("box_above", "sight"),
    [
        ((499, 399, 10, 10), "covered"),
        ((500, 300, 10, 10), ""),
        ((290, 300, 10, 100), ""),
        ((0, 0, 1280, 800), "covered"),
    ],
)
def test_what_stands_above_covers_where_it_overlaps(
    shapes: Shapes, box_above: tuple[int, int, int, int], sight: str
) -> None:
    above = override_redirect(shapes.session, *box_above)
    seen = shapes.sight()
    above.destroy()
    shapes.session.x.sync()
    assert seen == sight


def test_what_stands_below_or_is_not_mapped_covers_nothing(shapes: Shapes) -> None:
    other = override_redirect(shapes.session, 300, 300, 50, 50)
    other.configure(stack_mode=X.Below)
    shapes.session.x.sync()
    below = shapes.sight()
    other.configure(stack_mode=X.Above)
    other.unmap()
    shapes.session.x.sync()
    assert (below, shapes.sight()) == ("", "")
    other.destroy()


def test_a_window_put_into_it_covers_it(shapes: Shapes) -> None:
    override_redirect(shapes.session, 10, 10, 5, 5, parent=shapes.window)
    assert shapes.sight() == "covered"


@pytest.mark.parametrize("place", [{"x": -1}, {"y": 701}, {"x": 5000}, {"width": 199}, {"height": 1}])
def test_all_of_it_has_to_be_on_the_screen(shapes: Shapes, place: dict[str, int]) -> None:
    shapes.window.configure(**place)
    shapes.session.x.sync()
    assert shapes.sight() == "moved"


def test_a_window_that_is_cut_off_by_what_it_stands_in_is_not_seen(shapes: Shapes) -> None:
    frame = override_redirect(shapes.session, 300, 300, 100, 100)
    shapes.window.reparent(frame, 0, 0)
    shapes.session.x.sync()
    seen = shapes.sight()
    shapes.window.reparent(shapes.session.x.screen().root, 300, 300)
    frame.destroy()
    shapes.session.x.sync()
    assert seen == "moved"


def test_no_window_is_not_seen(shapes: Shapes) -> None:
    shapes.window.unmap()
    shapes.session.x.sync()
    assert shapes.sight() == "unmapped"


# --- it cannot be dismissed --------------------


@pytest.mark.parametrize(("keys", "by"), [("Escape", "Escape"), ("Alt_L+F4", "Alt+F4")])
def test_a_key_that_closes_other_windows_is_recorded_and_closes_nothing(desk: Desk, keys: str, by: str) -> None:
    desk.arm()
    desk.wait_event("grabbed")
    desk.session.press(keys)
    assert desk.wait_event("dismiss_attempt")["by"] == by
    assert desk.stands()


def test_closing_by_the_window_manager_is_recorded_and_closes_nothing(desk: Desk) -> None:
    window = desk.arm()["windows"][0]
    desk.session.tell_window_manager(window["id"], "_NET_CLOSE_WINDOW")
    assert desk.wait_event("dismiss_attempt")["by"] == "window manager"
    assert desk.stands()


def test_minimising_is_recorded_and_undone(desk: Desk) -> None:
    window = desk.arm()["windows"][0]
    desk.session.tell_window_manager(window["id"], "WM_CHANGE_STATE", ICONIC)
    desk.wait_event("dismiss_attempt")
    wait_for("the window again", desk.stands)
    assert desk.obstacle.state()["answer"] is None


def test_unmapping_is_recorded_and_undone_and_pointer_and_keyboard_are_held_again(desk: Desk) -> None:
    window = desk.arm()["windows"][0]
    desk.wait_event("grabbed")
    desk.session.x.create_resource_object("window", window["id"]).unmap()
    desk.session.x.sync()
    desk.wait_event("dismiss_attempt")
    wait_for("the window again", desk.stands)
    wait_for("the second hold", lambda: len(desk.events("grabbed")) >= 2)


def test_killing_its_process_is_no_answer_but_its_death(desk: Desk) -> None:
    desk.arm()
    os.kill(desk.wait_event("appeared")["pid"], signal.SIGKILL)
    row = desk.wait_event("died")
    state = desk.obstacle.state()
    assert (row["signal"], row["exit_status"]) == (signal.SIGKILL, None)
    assert (state["answer"], state["visible"]) == ("died", False)


def test_destroying_its_window_is_its_death(desk: Desk) -> None:
    window = desk.arm()["windows"][0]
    desk.session.x.create_resource_object("window", window["id"]).kill_client()
    desk.session.x.sync()
    assert desk.wait_event("died")["exit_status"] is not None
    assert desk.obstacle.state()["answer"] == "died"


# --- it fires --------------------


def test_after_actions_fires_when_that_action_begins(desk: Desk) -> None:
    desk.arm(trigger={"kind": "after_actions", "n": 2})
    desk.obstacle.begin_step(1)
    desk.obstacle.action_started(1)
    desk.obstacle.step_finished(1)
    assert not desk.obstacle.state()["fired"]
    desk.obstacle.begin_step(2)
    desk.obstacle.action_started(2)
    assert desk.obstacle.state()["fired"]


def test_it_appears_while_the_action_still_runs(desk: Desk) -> None:
    desk.arm(trigger={"kind": "after_actions", "n": 1})
    desk.obstacle.begin_step(1)
    desk.obstacle.action_started(1)
    wait_for("the window before the step has finished", desk.stands)


def test_a_step_in_which_it_fires_is_finished_only_when_it_stands_on_the_screen(desk: Desk) -> None:
    desk.arm(trigger={"kind": "after_actions", "n": 1})
    desk.obstacle.action_started(3)
    desk.obstacle.step_finished(3)
    state = desk.obstacle.state()
    assert (state["visible"], state["appeared_step"]) == (True, 3)


def test_after_seconds_counts_from_the_first_finished_step(desk: Desk) -> None:
    desk.arm(trigger={"kind": "after_seconds", "seconds": 0})
    desk.obstacle.begin_step(0)
    assert not desk.obstacle.state()["fired"]
    desk.obstacle.step_finished(0)
    wait_for("the window", desk.stands)


def test_closing_the_obstacle_takes_the_window_away_and_leaves_no_process(desk: Desk) -> None:
    desk.arm()
    process = desk.wait_event("appeared")["pid"]
    desk.obstacle.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert desk.events("died") == []


def test_the_window_goes_when_its_owner_is_gone(desk: Desk) -> None:
    window = desk.arm()["windows"][0]
    process = desk.obstacle._process
    assert process is not None
    process._channel.shutdown(socket.SHUT_RDWR)
    wait_for("the end of the window", lambda: not desk.stands())
    assert window["title"] not in desk.session.windows()


def test_a_display_that_is_gone_is_the_obstacles_death_and_says_why(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", ":64999")
    state = desk.arm()
    assert (state["answer"], state["visible"]) == ("died", False)
    assert desk.wait_event("died")["words"]
