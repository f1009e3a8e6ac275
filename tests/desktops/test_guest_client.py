"""What the host makes of a guest that misbehaves; the guest is a real HTTP server."""

from __future__ import annotations

import base64
import socket
import threading
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.desktops.guest_client import GuestClient
from pytest_rogue.errors import (
    DesktopLost,
    DesktopShutDown,
    DesktopStartError,
    GuestFault,
    GuestFileMissing,
    GuestFileUnreadable,
)
from pytest_rogue.interaction import Action
from tests.desktops import faulty_guest as faults
from tests.desktops.faulty_guest import TOKEN, FaultyGuest, answers, png, step_answer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAY = Action.python("pyautogui.write('pay 10')")

LOST_ANSWERS = {
    "500 after executing": answers(500, {"error": {"kind": "NameError", "message": "name '_log' is not defined"}}),
    "500 with the text of a decoding error": answers(500, b"UnicodeDecodeError: 'utf-8' codec can't decode byte"),
    "bytes that are no text": answers(200, b"\xff\xfe\x00"),
    "half an answer": answers(200, {"settled": True}),
    "an answer without a result": answers(200, step_answer(result=None)),
    "a screenshot that is no PNG": answers(200, step_answer(screenshot="aGVsbG8=")),
    "a screenshot that is not base64": answers(200, step_answer(screenshot="\u017c")),
    "a closed connection": faults.closes_the_connection,
    "a body that breaks off": faults.cuts_the_body,
}


@pytest.fixture(params=LOST_ANSWERS)
def lost_answer(request: pytest.FixtureRequest) -> faults.Fault:
    return LOST_ANSWERS[request.param]


# --- a machine that was shut down --------------------

STATE = {"armed": True, "fired": True, "visible": False, "answer": None, "appeared_step": 1, "answered_step": None}


def test_after_its_last_answer_a_guest_is_asked_nothing_more(client: GuestClient, faulty_guest: FaultyGuest) -> None:
    rows = [{"seq": 1, "event": "shutdown.armed"}, {"seq": 2, "event": "power.off"}]
    faulty_guest.faults["step"].append(answers(410, {"obstacle": STATE, "rows": rows}))
    for _ in range(2):
        with pytest.raises(DesktopShutDown):
            client.step(1, PAY)
    assert (client.evidence(), client.obstacle().appeared_step) == (tuple(rows), 1)
    assert len(faulty_guest.requests) == 1


def test_last_words_that_cannot_be_read_are_a_fault_of_the_guest(
    client: GuestClient, faulty_guest: FaultyGuest
) -> None:
    faulty_guest.faults["evidence"].append(answers(410, {"rows": []}))
    with pytest.raises(GuestFault, match="malformed at obstacle"):
        client.evidence()


# --- an action is executed at most once --------------------


def test_an_action_whose_answer_is_lost_is_not_sent_again(
    client: GuestClient, faulty_guest: FaultyGuest, lost_answer: faults.Fault
) -> None:
    faulty_guest.faults["step"].append(lost_answer)
    client.step(1, PAY)
    assert faulty_guest.executed == [PAY.code]


def test_an_action_whose_answer_is_lost_is_reported_as_unknown_with_a_fresh_screenshot(
    client: GuestClient, faulty_guest: FaultyGuest, lost_answer: faults.Fault
) -> None:
    faulty_guest.faults["step"].append(lost_answer)
    reply = client.step(1, PAY)
    assert reply.result is not None
    assert (reply.result.action, reply.result.executed, reply.result.exit_code) == (PAY, "unknown", None)
    assert "not known whether" in reply.result.note
    assert reply.screenshot is not None


def test_a_desktop_that_cannot_be_observed_after_a_lost_answer_is_an_infrastructure_error(
    client: GuestClient, faulty_guest: FaultyGuest, lost_answer: faults.Fault
) -> None:
    faulty_guest.faults["step"].extend([lost_answer, faults.closes_the_connection])
    with pytest.raises(DesktopLost):
        client.step(1, PAY)
    assert faulty_guest.executed == [PAY.code]


def test_an_action_that_the_guest_refuses_is_an_error_and_not_unknown(
    client: GuestClient, faulty_guest: FaultyGuest
) -> None:
    faulty_guest.faults["step"].append(answers(400, {"error": {"kind": "bad_request", "message": "no such kind"}}))
    with pytest.raises(GuestFault, match="no such kind"):
        client.step(1, PAY)


def test_an_action_to_a_desktop_that_is_gone_is_a_lost_desktop() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        client = GuestClient(token=TOKEN, base_url=f"http://127.0.0.1:{unused.getsockname()[1]}")
        with pytest.raises(DesktopLost, match="does not accept connections"):
            client.step(1, PAY)
        client.close()


def test_a_request_after_the_end_is_a_lost_desktop(client: GuestClient, faulty_guest: FaultyGuest) -> None:
    client.close()
    with pytest.raises(DesktopLost, match="has been stopped"):
        client.step(1, PAY)
    assert faulty_guest.requests == []


@pytest.mark.parametrize("fault", [answers(500, b"it ran, then it broke"), faults.closes_the_connection])
def test_a_command_that_may_have_run_is_not_sent_again(
    client: GuestClient, faulty_guest: FaultyGuest, fault: faults.Fault
) -> None:
    faulty_guest.faults["run"].append(fault)
    with pytest.raises((GuestFault, DesktopLost)):
        client.run(["show-popup"])
    assert faulty_guest.executed == ["show-popup"]


def test_an_action_that_ends_the_episode_is_never_sent(client: GuestClient, faulty_guest: FaultyGuest) -> None:
    with pytest.raises(ValueError, match="never sent"):
        client.step(1, Action.done())
    assert faulty_guest.requests == []


# --- steps --------------------


def test_the_result_of_an_action_carries_what_it_printed_and_how_it_ended(
    client: GuestClient, faulty_guest: FaultyGuest
) -> None:
    result = {"stdout": "\u017c", "stderr": "E", "exit_code": 3, "timed_out": True, "seconds": 1.5, "note": "cut"}
    faulty_guest.faults["step"].append(answers(200, step_answer(result=result)))
    reply = client.step(1, PAY)
    assert reply.result is not None
    assert {name: getattr(reply.result, name) for name in result} == result
    assert reply.result.executed == "yes"


def test_a_step_without_an_action_only_observes(client: GuestClient, faulty_guest: FaultyGuest) -> None:
    reply = client.step(0, None)
    assert (reply.result, reply.screen, faulty_guest.executed) == (None, (64, 48), [])


# --- accessibility trees --------------------

NAME = 90 * "x"
BAD_TREES = {
    "not XML": ("<not xml", "not well-formed"),
    "20 MB in 200,000 nodes": ("<d>" + 200_000 * f'<b name="{NAME}"/>' + "</d>", "characters long"),
    "entities that grow": ('<!DOCTYPE d [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><d>&b;</d>', "document type"),
}


@pytest.mark.parametrize(("tree", "problem"), BAD_TREES.values(), ids=BAD_TREES)
def test_a_tree_that_cannot_be_used_costs_the_tree_and_nothing_else(
    client: GuestClient, faulty_guest: FaultyGuest, tree: str, problem: str
) -> None:
    faulty_guest.faults["step"].append(answers(200, step_answer(a11y=tree)))
    reply = client.step(1, PAY, a11y=True)
    assert reply.result is not None
    assert (reply.result.executed, reply.a11y) == ("yes", None)
    assert problem in reply.a11y_problem
    assert reply.screenshot is not None


def test_a_tree_that_never_comes_leaves_a_screenshot(
    client: GuestClient, faulty_guest: FaultyGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_rogue.desktops.guest_client.SLACK", 0.5)
    faulty_guest.faults["step"].append(faults.hangs)
    reply = client.step(1, None, a11y=True, a11y_seconds=0.1, limit=0.1)
    assert reply.screenshot is not None
    assert "did not come" in reply.a11y_problem


def test_the_fresh_observation_after_a_lost_answer_does_not_ask_for_the_tree_again(
    client: GuestClient, faulty_guest: FaultyGuest
) -> None:
    faulty_guest.faults["step"].append(faults.closes_the_connection)
    client.step(1, PAY, a11y=True)
    assert b'"a11y":true' in faulty_guest.requests[0][2].replace(b" ", b"")
    assert b'"a11y":false' in faulty_guest.requests[1][2].replace(b" ", b"")


def test_a_good_tree_arrives_as_it_is(client: GuestClient, faulty_guest: FaultyGuest) -> None:
    tree = '<desktop-frame><push-button name="Zażółć &amp; 日本"/></desktop-frame>'
    faulty_guest.faults["step"].append(answers(200, step_answer(a11y=tree, a11y_problem="cut at 1 nodes")))
    reply = client.step(1, None, a11y=True)
    assert (reply.a11y, reply.a11y_problem) == (tree, "cut at 1 nodes")


# --- readiness --------------------


def test_waiting_goes_on_until_nothing_is_missing(client: GuestClient, faulty_guest: FaultyGuest) -> None:
    not_yet = answers(200, {"ready": False, "missing": ["window_manager"]})
    faulty_guest.faults["ready"].extend([not_yet, not_yet, answers(200, {"ready": True, "missing": []})])
    client.wait_ready(30)
    assert len(faulty_guest.requests) == 3


def test_a_desktop_that_never_gets_ready_is_an_error_that_names_the_missing_part(
    client: GuestClient, faulty_guest: FaultyGuest
) -> None:
    faulty_guest.good["ready"] = {"ready": False, "missing": ["window_manager", "a11y"]}
    with pytest.raises(DesktopStartError, match="the window manager, the accessibility bus"):
        client.wait_ready(0.3)


def test_waiting_ends_when_the_desktop_has_ended(client: GuestClient, faulty_guest: FaultyGuest) -> None:
    faulty_guest.good["ready"] = {"ready": False, "missing": ["x"]}
    with pytest.raises(DesktopStartError, match="ended before it was ready"):
        client.wait_ready(600, alive=lambda: False)


def test_a_desktop_that_broke_is_not_waited_for(client: GuestClient, faulty_guest: FaultyGuest) -> None:
    faulty_guest.good["ready"] = {"ready": False, "missing": ["x"], "problem": "Xvfb ended with exit code 1"}
    with pytest.raises(DesktopStartError, match="Xvfb ended with exit code 1"):
        client.wait_ready(600)


def test_a_wrong_token_ends_the_waiting_at_once(faulty_guest: FaultyGuest) -> None:
    client = GuestClient(token="another", base_url=faulty_guest.url)
    with pytest.raises(DesktopStartError, match="wrong token"):
        client.wait_ready(600)
    client.close()


def test_a_stock_server_is_ready_when_its_screen_is_painted(client: GuestClient, faulty_guest: FaultyGuest) -> None:
    black = answers(200, png("black"))
    faulty_guest.faults["/screenshot"].extend([black, black, black, answers(200, png())])
    client.wait_ready(30)
    assert [path for _, path, _ in faulty_guest.requests].count("/screenshot") == 4


def test_a_stock_server_that_stays_black_is_an_error_that_says_so(
    client: GuestClient, faulty_guest: FaultyGuest
) -> None:
    faulty_guest.good["/screenshot"] = png("black")
    with pytest.raises(DesktopStartError, match="a painted screen"):
        client.wait_ready(0.5)


def test_a_black_screenshot_of_a_step_is_taken_as_it_is(client: GuestClient, faulty_guest: FaultyGuest) -> None:
    black = png("black", (64, 48))
    faulty_guest.faults["step"].append(answers(200, step_answer(screenshot=base64.b64encode(black).decode())))
    assert client.step(1, PAY).screenshot == black


# --- files --------------------


def test_a_missing_file_is_a_finding_and_not_a_fault(client: GuestClient) -> None:
    with pytest.raises(GuestFileMissing):
        client.read_file("~/result.txt")


@pytest.mark.parametrize(
    "fault",
    [answers(500, b"disk"), answers(200, b""), faults.closes_the_connection, faults.cuts_the_body],
    ids=["500", "nothing", "closed", "cut"],
)
def test_a_file_that_cannot_be_read_is_an_infrastructure_error(
    client: GuestClient, faulty_guest: FaultyGuest, fault: faults.Fault
) -> None:
    faulty_guest.faults["file"].append(fault)
    faulty_guest.good["stat"] = {"type": "file", "size": 7, "mode": "644"}
    with pytest.raises((GuestFault, DesktopLost)):
        client.read_file("~/result.txt")


@pytest.mark.parametrize("status", [403, 413])
@pytest.mark.parametrize("ask", [GuestClient.read_file, GuestClient.list_folder, GuestClient.stat])
def test_what_the_desktops_user_cannot_read_is_a_finding_and_not_a_fault(
    client: GuestClient, faulty_guest: FaultyGuest, ask: Callable[[GuestClient, str], object], status: int
) -> None:
    for path in ("file", "list", "stat"):
        faulty_guest.faults[path].append(answers(status, {"error": {"kind": "unreadable", "message": "no"}}))
    with pytest.raises(GuestFileUnreadable):
        ask(client, "~/result.txt")


def test_a_file_that_is_too_large_to_be_written_is_a_fault(client: GuestClient, faulty_guest: FaultyGuest) -> None:
    faulty_guest.faults["file"].append(answers(413, {"error": {"kind": "too_large", "message": "too large"}}))
    with pytest.raises(GuestFault, match="too large"):
        client.write_file("~/a", b"x")


def test_a_folder_that_hides_a_part_is_not_listed_as_if_that_were_all(
    client: GuestClient, faulty_guest: FaultyGuest
) -> None:
    faulty_guest.good["list"] = {"entries": [], "cut": False, "unreadable": ["deep/secret"]}
    with pytest.raises(GuestFileUnreadable, match="deep/secret"):
        client.list_folder("~/work")


def test_a_folder_that_was_cut_is_not_listed_as_if_that_were_all(
    client: GuestClient, faulty_guest: FaultyGuest
) -> None:
    faulty_guest.good["list"] = {"entries": [], "cut": True, "unreadable": ["deep/secret"]}
    with pytest.raises(GuestFault, match="~/work holds more"):
        client.list_folder("~/work")


def test_a_status_tells_type_size_and_mode(client: GuestClient, faulty_guest: FaultyGuest) -> None:
    faulty_guest.good["stat"] = {"type": "folder", "size": 4096, "mode": "700"}
    status = client.stat("~/work")
    assert (status.type, status.size, status.mode) == ("folder", 4096, 0o700)


def test_the_status_of_nothing_is_a_finding(client: GuestClient) -> None:
    with pytest.raises(GuestFileMissing):
        client.stat("~/work")


def test_an_answer_that_the_guest_does_not_believe_arrives_as_such(
    client: GuestClient, faulty_guest: FaultyGuest
) -> None:
    obstacle = step_answer()["obstacle"] | {"armed": True, "fired": True, "answer": "unconfirmed"}
    faulty_guest.faults["step"].append(answers(200, step_answer(obstacle=obstacle)))
    assert client.step(1, PAY).obstacle.answer == "unconfirmed"


def test_a_file_that_is_empty_by_its_status_too_is_read_as_empty(
    client: GuestClient, faulty_guest: FaultyGuest
) -> None:
    faulty_guest.good["file"] = b""
    faulty_guest.good["stat"] = {"type": "file", "size": 0, "mode": "644"}
    assert client.read_file("~/empty.txt") == b""


def test_a_file_that_was_written_in_part_is_a_fault(client: GuestClient, faulty_guest: FaultyGuest) -> None:
    faulty_guest.good["file"] = {"size": 3}
    with pytest.raises(GuestFault, match="3 of 5 bytes"):
        client.write_file("~/a.txt", b"hello")


def test_permission_bits_are_understood_as_octal_digits_too(client: GuestClient, faulty_guest: FaultyGuest) -> None:
    entry = {"path": "a", "type": "file", "size": 1, "mode": "755"}
    faulty_guest.good["list"] = {"entries": [entry], "cut": False, "unreadable": []}
    assert client.list_folder("~")[0].mode == 0o755


# --- sockets --------------------


@pytest.mark.parametrize("abstract", [True, False], ids=["abstract", "path"])
def test_a_guest_is_reached_through_a_unix_socket(tmp_path: Path, abstract: bool) -> None:
    name = f"\0rogue-test-{tmp_path.name}-{id(tmp_path)}" if abstract else str(tmp_path / "s")
    body = b'{"ready": true, "missing": []}'
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(name)
        listener.listen(1)

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

        thread = threading.Thread(target=serve)
        thread.start()
        client = GuestClient(token=TOKEN, uds=name)
        assert client.ready() == ()
        client.close()
        thread.join()
