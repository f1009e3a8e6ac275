"""The accessibility tree of real applications in a real session."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.guest import accessibility
from tests.guest._session import XLIB_LEAVES_A_FILE_OPEN, Session, wait_for
from tests.guest._tree import box, tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

pytestmark = [pytest.mark.desktop, XLIB_LEAVES_A_FILE_OPEN]

SLOW = Path(__file__).with_name("_slow_app.py")
CROWDED = Path(__file__).with_name("_crowded_app.py")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(tmp_path_factory.mktemp("session") / "home") as session:
        yield session
        accessibility.close()


@pytest.fixture
def session(running: Session, monkeypatch: pytest.MonkeyPatch) -> Session:
    for name, value in running.env.items():
        monkeypatch.setenv(name, value)
    return running


@pytest.fixture(scope="module")
def editor(running: Session, tmp_path_factory: pytest.TempPathFactory) -> subprocess.Popen[Any]:
    letter = tmp_path_factory.mktemp("letters") / "letter.txt"
    letter.write_text("Dear customer,\nthank you.\n")
    process = running.run(["mousepad", "--disable-server", str(letter)])
    running.wait_window("letter.txt")
    return process


def application(name: str) -> ET.Element | None:
    return next((item for item in tree() if item.get("name") == name), None)


def wait_application(name: str, part: str) -> ET.Element:
    """Wait until an application shows a node of that role."""

    def find() -> list[ET.Element]:
        found = application(name)
        return [found] if found is not None and found.find(f".//{part}") is not None else []

    return wait_for(f"{part} of {name}", find)[0]


@pytest.fixture
def crowded(session: Session) -> Iterator[Any]:
    started = []

    def start(kind: str) -> None:
        started.append(session.run(["/usr/bin/python3", str(CROWDED), kind]))
        session.wait_window("Crowded")

    yield start
    for process in started:
        process.kill()
        process.wait()
    wait_for("the end of the program", lambda: application("_crowded_app.py") is None)


def test_text_and_window_of_an_editor_are_in_the_tree(session: Session, editor: object) -> None:
    text = wait_application("mousepad", "text").find(".//text")
    assert text is not None
    assert text.text == "Dear customer,\nthank you.\n"


def test_a_frame_lies_where_the_x_server_has_it(session: Session, editor: object) -> None:
    frame = wait_application("mousepad", "text").find("frame")
    assert frame is not None
    window = session.x.create_resource_object("window", session.wait_window("letter.txt"))
    size = window.get_geometry()
    _, _, width, height = box(frame)
    # A frame's extents hold the window manager's border as well.
    assert 0 <= width - size.width <= 10
    assert 0 <= height - size.height <= 40


def test_what_does_not_show_is_left_out(session: Session, editor: object) -> None:
    found = wait_application("mousepad", "text")
    assert found.find(".//menu") is not None
    assert found.find(".//menu-item") is None


def test_a_tree_without_problems_says_so(session: Session, editor: object) -> None:
    wait_application("mousepad", "text")
    result = accessibility.tree(5000, 10)
    assert result.problem == ""
    assert result.nodes == sum(1 for _ in ET.fromstring(result.xml).iter()) - 1  # our own


def test_the_node_limit_cuts_the_tree_and_is_named(session: Session, editor: object) -> None:
    wait_application("mousepad", "text")
    result = accessibility.tree(10, 10)
    assert result.nodes == 10
    assert result.problem == "cut at 10 nodes"
    assert sum(1 for _ in ET.fromstring(result.xml).iter()) == 11  # our own


def test_of_a_crowd_only_the_limit_is_visited(session: Session, crowded: Any) -> None:
    crowded("many_labels")
    wait_application("_crowded_app.py", "label")
    result = accessibility.tree(300, 10)
    assert (result.nodes, result.problem) == (300, "cut at 300 nodes")


def test_the_time_limit_cuts_the_tree_and_is_named(session: Session) -> None:
    slow = session.run(["/usr/bin/python3", str(SLOW)], stdout=subprocess.PIPE)
    assert slow.stdout is not None
    slow.stdout.readline()
    try:
        result = accessibility.tree(5000, 1.5)
    finally:
        slow.kill()
        slow.wait()
    assert result.problem == f"python3 (process {slow.pid}) was cut after 1.5 s"
    assert 'name="slow"' in result.xml
    assert result.nodes < 50
    ET.fromstring(result.xml)  # our own


def test_a_slow_application_keeps_nothing_of_the_others_out_of_the_tree(session: Session, editor: object) -> None:
    alone = ET.tostring(wait_application("mousepad", "text"))
    slow = session.run(["/usr/bin/python3", str(SLOW)], stdout=subprocess.PIPE)
    assert slow.stdout is not None
    slow.stdout.readline()
    try:
        result = accessibility.tree(5000, 6)
    finally:
        slow.kill()
        slow.wait()
    assert result.problem == f"python3 (process {slow.pid}) was cut after 6 s"
    beside = next(item for item in ET.fromstring(result.xml) if item.get("name") == "mousepad")  # our own
    assert ET.tostring(beside) == alone


def test_an_application_that_never_answers_is_named_and_costs_the_others_nothing(
    session: Session, editor: subprocess.Popen[Any], crowded: Any
) -> None:
    crowded("odd_texts")
    wait_application("_crowded_app.py", "label")
    os.kill(editor.pid, signal.SIGSTOP)
    try:
        result = accessibility.tree(5000, 3)
    finally:
        os.kill(editor.pid, signal.SIGCONT)
    names = [item.get("name") for item in ET.fromstring(result.xml)]  # our own
    assert "_crowded_app.py" in names
    assert "mousepad" not in names
    assert result.problem == f"mousepad (process {editor.pid}) did not answer and is left out"


def test_after_it_was_silent_an_application_is_read_again(session: Session, editor: subprocess.Popen[Any]) -> None:
    wait_application("mousepad", "text")
    os.kill(editor.pid, signal.SIGSTOP)
    try:
        accessibility.tree(5000, 0.3)
    finally:
        os.kill(editor.pid, signal.SIGCONT)
    wait_application("mousepad", "text")


def test_texts_that_xml_cannot_hold_arrive_without_what_it_cannot_hold(session: Session, crowded: Any) -> None:
    crowded("odd_texts")
    label = wait_application("_crowded_app.py", "label").find(".//label")
    assert label is not None
    assert label.text == "]]> <&> [31m  end"
    assert label.get("name") == 'a "name" <with> '


def test_of_a_big_table_only_the_cells_in_view_are_visited(session: Session, crowded: Any) -> None:
    crowded("table")
    cells = [item.get("name") for item in wait_application("_crowded_app.py", "table-cell").iter("table-cell")]
    rows = len(cells) // 2
    assert 5 < rows < 30
    assert cells == [text for row in range(rows) for text in (f"item {row}", f"price {row}")]


def test_a_dead_connection_is_reopened(session: Session, editor: object) -> None:
    wait_application("mousepad", "text")
    lines = accessibility._lines
    assert lines is not None
    lines.bus._socket.shutdown(socket.SHUT_RDWR)
    wait_application("mousepad", "text")
    assert accessibility._lines is not lines


def test_an_application_whose_own_line_is_broken_is_read_over_the_bus(session: Session, editor: object) -> None:
    wait_application("mousepad", "text")
    lines = accessibility._lines
    assert lines is not None
    own = [line for line in lines._own.values() if line is not None]
    assert own
    for line in own:
        line._socket.shutdown(socket.SHUT_RDWR)
    result = accessibility.tree(5000, 10)
    assert "Dear customer" in result.xml
    assert result.problem == ""
    assert accessibility._lines is lines


def test_several_threads_may_ask_at_once(session: Session, editor: object) -> None:
    wait_application("mousepad", "text")
    problems: list[str] = []
    threads = [threading.Thread(target=lambda: problems.append(accessibility.tree(5000, 10).problem)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == [""] * 4


@pytest.mark.parametrize("address", ["", "unix:path=/nonexistent/bus", "tcp:host=localhost,port=1", "nonsense"])
def test_without_a_bus_the_tree_is_empty_and_says_why(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    accessibility.close()
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    result = accessibility.tree(100, 1)
    assert result.nodes == 0
    assert result.problem.startswith("the accessibility tree cannot be read: the message bus cannot be reached")
    assert len(ET.fromstring(result.xml)) == 0  # our own
