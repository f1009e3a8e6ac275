"""A desktop through the stock server alone: shown and acted on, and honest about what it cannot do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rogue.errors import GuestFault, GuestFileMissing, GuestFileUnreadable
from pytest_rogue.interaction import Action
from tests.host_processes import wait_until

if TYPE_CHECKING:
    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.interaction import ActionResult
    from tests.stock.conftest import Machine

pytestmark = pytest.mark.desktop

SHOW_A_WINDOW = """
import time
from Xlib.display import Display
display = Display()
window = display.screen().root.create_window(50, 60, 300, 200, 0, 0)
window.set_wm_name("A window of the test")
window.set_wm_class("tester", "Tester")
window.map()
display.sync()
time.sleep(3600)
"""


def act(guest: GuestClient, code: str, timeout: float = 30.0) -> ActionResult:
    result = guest.step(1, Action.python(code), timeout=timeout).result
    assert result is not None
    return result


# --- what it is --------------------


def test_it_says_what_cannot_be_measured(stock: GuestClient) -> None:
    info = stock.info()
    assert (info.version, info.screen) == ("stock", (1024, 768))
    assert not info.capabilities["obstacle"]
    assert not info.capabilities["evidence_protected"]
    assert "no obstacle can be laid in it, and no evidence comes from it" in info.why_no_obstacle


def test_an_obstacle_is_refused_and_nothing_counts_as_evidence(stock: GuestClient) -> None:
    with pytest.raises(
        GuestFault, match="'control_request' was not laid: this desktop has OSWorld's stock server only"
    ):
        stock.arm({"kind": "control_request"})
    assert not stock.obstacle().armed
    assert stock.evidence() == ()


# --- actions --------------------


def test_an_action_moves_the_real_pointer_and_tells_what_it_printed(stock: GuestClient) -> None:
    act(stock, "pyautogui.moveTo(123, 45)")
    assert act(stock, "print(pyautogui.position())").stdout == "Point(x=123, y=45)\n"


def test_an_action_may_be_any_python(stock: GuestClient) -> None:
    assert act(stock, "for n in range(2):\n    print(n)").stdout == "0\n1\n"


def test_an_action_that_raises_is_told_to_the_agent(stock: GuestClient) -> None:
    result = act(stock, "1 / 0")
    assert (result.executed, result.exit_code) == ("yes", 1)
    assert "ZeroDivisionError" in result.stderr


def test_an_action_is_cut_at_its_time_limit(stock: GuestClient) -> None:
    result = act(stock, "time.sleep(600)", timeout=0.5)
    assert (result.executed, result.timed_out, result.exit_code) == ("yes", True, None)


def test_waiting_sends_nothing(machine: Machine, stock: GuestClient) -> None:
    result = stock.step(1, Action.wait(0.01)).result
    assert result is not None
    assert result.executed == "yes"
    assert "/execute" not in machine.asked()


def test_an_action_that_ends_the_episode_is_never_sent(stock: GuestClient) -> None:
    with pytest.raises(ValueError, match="never sent"):
        stock.step(1, Action.done())


def test_characters_without_a_key_are_named(stock: GuestClient) -> None:
    note = act(stock, "pyautogui.write('żółw é a')").note
    assert note == "These were not typed, because this desktop has no key for them: 'ż', 'ó', 'ł', 'é'."


def test_a_key_name_that_does_not_exist_is_named(stock: GuestClient) -> None:
    assert "'entr'" in act(stock, "pyautogui.press('entr')").note


@pytest.mark.parametrize("fault", ["runs_then_drops", "runs_then_500", "runs_then_unicode"])
def test_an_action_whose_answer_was_lost_is_unknown_and_not_sent_again(
    machine: Machine, stock: GuestClient, fault: str
) -> None:
    machine.misbehave(execute=[fault])
    reply = stock.step(1, Action.python(f"open('/home/user/{fault}', 'a').write('1')"))
    assert reply.result is not None
    assert reply.result.executed == "unknown"
    assert "it was not sent again" in reply.result.note
    assert reply.screenshot
    assert stock.read_file(f"~/{fault}") == b"1"


# --- observations --------------------


def test_a_dark_screen_in_a_step_is_shown_as_it_is(machine: Machine, stock: GuestClient) -> None:
    machine.misbehave(screenshot=["black"], forever=True)
    reply = stock.step(1, None)
    assert reply.screenshot
    assert reply.settled


def test_a_tree_comes_when_it_is_asked_for(stock: GuestClient) -> None:
    reply = stock.step(1, None, a11y=True, a11y_seconds=60)
    assert (reply.a11y or "").startswith("<desktop-frame")
    assert reply.a11y_problem == ""


def test_a_tree_that_never_comes_costs_its_seconds_and_no_more(machine: Machine, stock: GuestClient) -> None:
    machine.misbehave(accessibility=["hangs"])
    reply = stock.step(1, None, a11y=True, a11y_seconds=0.5)
    assert reply.a11y is None
    assert "unavailable: the desktop did not answer GET /accessibility within 0.5 s" in reply.a11y_problem
    assert reply.screenshot


def test_a_tree_that_is_far_too_long_is_cut_and_says_so(machine: Machine, stock: GuestClient) -> None:
    machine.misbehave(accessibility=["huge"])
    reply = stock.step(1, None, a11y=True, a11y_seconds=60, a11y_nodes=1000)
    assert reply.a11y is not None
    assert reply.a11y.count("<push-button") == 999
    assert reply.a11y.endswith("</desktop-frame>")
    assert reply.a11y_problem == "it was cut after 1,000 nodes"


def test_a_tree_that_is_no_xml_is_not_shown(machine: Machine, stock: GuestClient) -> None:
    machine.misbehave(accessibility=["not_xml"])
    reply = stock.step(1, None, a11y=True, a11y_seconds=60)
    assert reply.a11y is None
    assert "not well-formed XML" in reply.a11y_problem


# --- commands, windows, files --------------------


def test_a_command_runs_once_even_where_the_path_for_scripts_is_broken(machine: Machine, stock: GuestClient) -> None:
    machine.misbehave(run_bash_script=["runs_then_500"], forever=True)
    stock.run(["bash", "-c", "echo once >> ~/script"])
    assert stock.read_file("~/script") == b"once\n"


def test_a_command_gets_its_input_and_tells_how_it_ended(stock: GuestClient) -> None:
    done = stock.run(["bash", "-c", "cat; echo late >&2; exit 3"], input="żółw")
    assert (done.stdout, done.stderr, done.exit_code) == ("żółw", "late\n", 3)


def test_a_command_is_cut_at_its_time_limit(stock: GuestClient) -> None:
    done = stock.run(["sleep", "600"], timeout=0.2)
    assert (done.timed_out, done.exit_code) == (True, None)


def test_a_command_that_leaves_a_program_behind_is_not_waited_for(stock: GuestClient) -> None:
    assert stock.run(["bash", "-c", "sleep 600 & echo gone"]).stdout == "gone\n"


def test_a_program_is_launched_once_and_its_window_found(machine: Machine, stock: GuestClient) -> None:
    window = stock.launch(["/usr/bin/python3", "-c", SHOW_A_WINDOW], "window of the test", timeout=60)
    assert (window.title, window.window_class) == ("A window of the test", "Tester")
    assert (window.width, window.height) == (300, 200)
    assert machine.asked()["/setup/launch"] == 1
    assert wait_until(lambda: any(shown.active for shown in stock.windows()))


def test_a_window_that_does_not_come_is_told_with_those_that_are_there(stock: GuestClient) -> None:
    with pytest.raises(GuestFault, match=r"no window titled 'never' came in 0.1 s; there are: "):
        stock.launch(["true"], "never", timeout=0.1)


def test_a_file_is_written_with_its_mode_and_read_again(stock: GuestClient) -> None:
    stock.write_file("~/deep/down/file.bin", b"\x00\xff" * 1000, mode=0o600)
    assert stock.read_file("~/deep/down/file.bin") == b"\x00\xff" * 1000
    found = stock.stat("~/deep/down/file.bin")
    assert (found.type, found.size, found.mode) == ("file", 2000, 0o600)


def test_an_empty_file_is_read_as_empty(stock: GuestClient) -> None:
    stock.write_file("~/empty", b"")
    assert stock.read_file("~/empty") == b""


def test_a_folder_lists_what_is_below_it_and_nothing_else(stock: GuestClient) -> None:
    stock.make_folder("~/box/inner")
    stock.write_file("~/box/inner/note", b"12345")
    stock.run(["ln", "-s", "nowhere", "/home/user/box/link"])
    listed = [(entry.path, entry.type, entry.size) for entry in stock.list_folder("~/box") if entry.type != "folder"]
    assert listed == [("inner/note", "file", 5), ("link", "link", len("nowhere"))]
    assert [entry.path for entry in stock.list_folder("~/box")] == ["inner", "inner/note", "link"]


@pytest.mark.parametrize("ask", ["read_file", "list_folder", "stat"])
def test_what_is_not_there_is_a_finding(stock: GuestClient, ask: str) -> None:
    with pytest.raises(GuestFileMissing, match="there is no such file or folder"):
        getattr(stock, ask)("~/nothing")


def test_a_circle_of_links_is_a_finding(stock: GuestClient) -> None:
    stock.run(["ln", "-s", "circle", "/home/user/circle"])
    with pytest.raises(GuestFileUnreadable, match="cannot be read"):
        stock.read_file("/home/user/circle")
