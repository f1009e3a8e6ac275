"""The set-up steps of published tasks, on an embedded desktop."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import GuestFault, GuestFileMissing, InfraError
from pytest_rogue.published import kinds
from pytest_rogue.published.getters.files import CacheFile
from pytest_rogue.published.waiting import wait_for
from tests.published.desks import desk, guest

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.desktops.guest_types import StepReply
    from pytest_rogue.published.protocol import Desk

__all__ = ["desk", "guest"]

pytestmark = pytest.mark.desktop

WINDOW = """
import gi, sys
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
window = Gtk.Window(title=sys.argv[1])
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
"""

STUBBORN = WINDOW.replace('window.connect("destroy", Gtk.main_quit)', 'window.connect("delete-event", lambda *_: True)')
"""A window that does not close."""

BLOCKED = WINDOW.replace(
    "Gtk.main()\n",
    'Gtk.MessageDialog(transient_for=window, modal=True, text="Save it?", title="Save it?").show()\nGtk.main()\n',
)
"""A window behind a dialog that waits for an answer."""

SLOW = """
import signal, time
signal.signal(signal.SIGTERM, lambda *_: (time.sleep(0.7), exit()))
print("up", flush=True)
while True:
    time.sleep(9)
"""


def apply(desk: Desk, kind: str, **parameters: Any) -> None:
    kinds.steps()[kind].model_validate_json(json.dumps(parameters)).apply(desk)


def apply_line(desk: Desk, line: str, kind: str = "execute", **more: Any) -> None:
    apply(desk, kind, **{"command": line, "shell": True, **more})


def show(desk: Desk, title: str) -> None:
    apply(desk, "launch", command=["/usr/bin/python3", "-c", WINDOW, title])


def titles(desk: Desk) -> list[str]:
    return [window.title for window in desk.guest.windows()]


def active(desk: Desk) -> str:
    return next((window.title for window in desk.guest.windows() if window.active), "")


# --- files --------------------


def test_a_download_is_written_where_the_task_says(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "sheet.xlsx").write_bytes(b"\0cells")
    apply(desk, "download", files=[{"url": "https://files.example/a/sheet.xlsx", "path": "/home/user/a/b.xlsx"}])
    assert desk.guest.read_file("/home/user/a/b.xlsx") == b"\0cells"


def test_a_relative_path_is_where_commands_run(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "say.sh").write_text("echo said\n")
    apply(desk, "download", files=[{"url": "https://files.example/say.sh", "path": "say.sh"}])
    apply_line(desk, "chmod +x say.sh && ./say.sh", stdout="said.out")
    assert desk.kept["said.out"] == b"said\n"


def test_a_file_of_the_checkout_is_written(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "evaluation_examples").mkdir()
    (tmp_path / "evaluation_examples" / "plan.sh").write_bytes(b"plan")
    files = [{"local_path": "evaluation_examples/plan.sh", "path": "/home/user/Desktop/plan.sh"}]
    apply(desk, "upload_file", files=files)
    assert desk.guest.read_file("/home/user/Desktop/plan.sh") == b"plan"


# --- commands --------------------


def test_a_list_is_no_line_for_a_shell(desk: Desk) -> None:
    apply(desk, "command", command=["echo", "a  b", "|", "cat"], stdout="out")
    assert desk.kept["out"] == b"a  b | cat\n"


def test_a_text_without_a_shell_is_split_into_words(desk: Desk) -> None:
    apply(desk, "execute", command="echo 'a  b' $HOME", stdout="out")
    assert desk.kept["out"] == b"a  b $HOME\n"


def test_the_screen_and_the_password_are_filled_in(desk: Desk) -> None:
    marks = "{CLIENT_PASSWORD} {SCREEN_WIDTH} {SCREEN_HEIGHT} {SCREEN_WIDTH_HALF} {SCREEN_HEIGHT_HALF}"
    apply(replace(desk, password="p w"), "execute", command=["echo", marks], stdout="out")
    assert desk.kept["out"] == b"p w 1024 768 512 384\n"


def test_a_python_command_moves_the_pointer(desk: Desk) -> None:
    code = "import pyautogui; pyautogui.moveTo({SCREEN_WIDTH_HALF}, {SCREEN_HEIGHT_HALF})"
    apply(desk, "execute", command=["python", "-c", code])
    where = desk.guest.execute(["python", "-c", "import pyautogui; print(*pyautogui.position())"])
    assert where.stdout.split() == ["512", "384"]


def test_a_command_that_fails_does_not_end_the_set_up(desk: Desk) -> None:
    apply(desk, "execute", command=["pkill", "no-such-program"], stdout="out")
    assert desk.kept["out"] == b""


def test_a_comparison_that_lacks_a_file_has_kept_nothing_but_for_upstream(desk: Desk) -> None:
    apply(desk, "execute", command=["diff", "/etc/hostname", "receipts/none.pdf"], stdout="diff.out")
    with pytest.raises(GuestFileMissing, match=r"diff\.out: a file that was to be compared is missing"):
        CacheFile(path="diff.out").get(desk)
    published = replace(desk, convention="upstream")
    apply(published, "execute", command=["diff", "/etc/hostname", "receipts/none.pdf"], stdout="diff.out")
    assert CacheFile(path="diff.out").get(published).data == b""


def test_a_comparison_of_two_files_has_kept_how_they_differ(desk: Desk) -> None:
    desk.guest.write_file("~/old.bill", b"1\n")
    desk.guest.write_file("~/new.bill", b"2\n")
    apply(desk, "execute", command=["diff", "old.bill", "new.bill"], stdout="differ.out")
    apply(desk, "execute", command=["diff", "old.bill", "old.bill"], stdout="alike.out")
    assert (desk.kept["differ.out"], desk.kept["alike.out"]) == (b"1c1\n< 1\n---\n> 2\n", b"")


def test_a_command_that_fails_is_logged_without_the_password(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "pytest_rogue.published")
    line = "echo it is {CLIENT_PASSWORD} >&2; exit 3"
    apply_line(replace(desk, password="sesame"), line)
    assert "ended with 3: it is ..." in caplog.text
    assert "sesame" not in caplog.text


def test_a_command_that_cannot_be_started_is_a_fault(desk: Desk) -> None:
    with pytest.raises(GuestFault, match="no-such-program"):
        apply(desk, "execute", command=["no-such-program"])


def test_a_program_left_behind_with_the_output_keeps_nothing_waiting(desk: Desk) -> None:
    apply_line(desk, "echo first; sleep 1000 &", stdout="out")
    assert desk.kept["out"] == b"first\n"
    assert desk.guest.run(["pkill", "sleep"]).exit_code == 0


def test_until_runs_a_command_again_until_it_has_come(desk: Desk) -> None:
    line = "echo x >> tries; wc -l < tries"
    apply_line(desk, line, until={"stdout": "3"}, stdout="out")
    assert desk.kept["out"] == b"3\n"
    assert desk.guest.read_file("~/tries") == b"x\nx\nx\n"


def test_until_may_ask_for_an_exit_code(desk: Desk) -> None:
    apply_line(desk, "mkdir once 2>/dev/null; exit $?", until={"returncode": 1})
    assert desk.guest.stat("~/once").type == "folder"


# --- programs and windows --------------------


def test_a_launched_program_shows_its_window_before_the_next_step(desk: Desk) -> None:
    show(desk, "launched here")
    assert "launched here" in titles(desk)


def test_a_launch_leaves_nothing_of_its_own_in_the_desktop(desk: Desk) -> None:
    before = desk.guest.run(["ls", "/tmp"]).stdout
    show(desk, "tidy")
    assert desk.guest.run(["ls", "/tmp"]).stdout == before


def test_a_launched_program_may_hand_over_and_end(desk: Desk) -> None:
    apply_line(desk, "touch handed-over", kind="launch")
    assert desk.guest.stat("~/handed-over").type == "file"


def test_a_launched_program_that_fails_is_told_with_its_words(desk: Desk) -> None:
    with pytest.raises(InfraError, match=r"ended with the code 4 .* it said: no display"):
        apply_line(desk, "echo no display >&2; exit 4", kind="launch")


def test_a_program_that_is_not_there_is_named(desk: Desk) -> None:
    with pytest.raises(InfraError, match="there is no program 'no-such-editor' in this desktop"):
        apply(desk, "launch", command=["no-such-editor", "/home/user/a.txt"])


def test_pkill_waits_until_the_program_is_gone(desk: Desk) -> None:
    desk.guest.run(
        ["/bin/sh", "-c", 'cp /usr/bin/python3 ~/slowly-ending; ~/slowly-ending -c "$1" >~/up &', "sh", SLOW]
    )
    desk.guest.run(["/bin/sh", "-c", "until [ -s ~/up ]; do sleep 0.05; done"])
    apply(desk, "launch", command=["pkill", "slowly-ending"])
    assert desk.guest.run(["pgrep", "slowly-ending"]).exit_code == 1


def test_pkill_of_nothing_is_no_fault(desk: Desk) -> None:
    apply(desk, "launch", command=["pkill", "no-such-program"])


def test_a_listener_is_there_once_it_listens_and_is_started_once(desk: Desk) -> None:
    command = ["socat", "tcp-listen:9222,fork", "exec:echo hello"]
    apply(desk, "launch", command=command)
    apply(desk, "launch", command=command)
    assert desk.guest.run(["socat", "-u", "tcp:127.0.0.1:9222", "-"]).stdout == "hello\n"
    apply(desk, "launch", command=["pkill", "socat"])


def test_a_window_is_brought_to_the_front_by_part_of_its_title(desk: Desk) -> None:
    show(desk, "first of two")
    show(desk, "second of two")
    apply(desk, "activate_window", window_name="FIRST OF")
    assert active(desk) == "first of two"


def test_a_strict_name_is_the_whole_title(desk: Desk) -> None:
    show(desk, "sheet")
    show(desk, "sheet (copy)")
    show(desk, "another")
    apply(desk, "activate_window", window_name="sheet", strict=True)
    assert active(desk) == "sheet"


def test_a_window_is_found_by_its_class(desk: Desk) -> None:
    apply(desk, "launch", command=["mousepad"])
    show(desk, "over it")
    apply(desk, "activate_window", window_name="mousepad", by_class=True)
    assert "Mousepad" in active(desk)


def test_a_window_that_does_not_come_is_a_fault_that_names_what_is_there(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_rogue.published.steps.windows.COME_SECONDS", 0.2)
    show(desk, "what is there")
    with pytest.raises(InfraError, match=r"no window titled 'nowhere' came .* 'what is there'"):
        apply(desk, "activate_window", window_name="nowhere")


def test_a_window_that_the_agent_has_closed_is_no_fault(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_rogue.published.steps.windows.OBEY_SECONDS", 0.2)
    apply(replace(desk, agent_was_here=True), "activate_window", window_name="nowhere")


def test_a_window_behind_a_dialog_that_the_agent_left_open_is_no_fault(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_rogue.published.steps.windows.OBEY_SECONDS", 0.2)
    apply(desk, "launch", command=["/usr/bin/python3", "-c", BLOCKED, "invoice"])
    assert wait_for(lambda: active(desk) == "Save it?" or None, 20)
    with pytest.raises(InfraError, match="the window titled 'invoice' did not come to the front"):
        apply(desk, "activate_window", window_name="invoice", strict=True)
    apply(replace(desk, agent_was_here=True), "activate_window", window_name="invoice", strict=True)


def test_a_closed_window_is_gone(desk: Desk) -> None:
    show(desk, "Filters")
    show(desk, "Filters of mail")
    apply(desk, "close_window", window_name="Filters", strict=True)
    assert [title for title in titles(desk) if title.startswith("Filters")] == ["Filters of mail"]


def test_a_window_that_is_not_there_is_closed_already(desk: Desk) -> None:
    apply(desk, "close_window", window_name="nowhere")


def test_a_window_that_does_not_close_is_a_fault(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_rogue.published.steps.windows.OBEY_SECONDS", 0.2)
    apply(desk, "launch", command=["/usr/bin/python3", "-c", STUBBORN, "stubborn"])
    with pytest.raises(InfraError, match="the window titled 'stubborn' did not close"):
        apply(desk, "close_window", window_name="stubborn")


def test_a_window_that_the_agent_keeps_from_closing_is_no_fault(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_rogue.published.steps.windows.OBEY_SECONDS", 0.2)
    apply(desk, "launch", command=["/usr/bin/python3", "-c", STUBBORN, "stubborn"])
    apply(replace(desk, agent_was_here=True), "close_window", window_name="stubborn")
    assert titles(desk) == ["stubborn"]


def test_an_opened_file_stands_in_a_window_with_its_name(desk: Desk) -> None:
    desk.guest.write_file("/home/user/Desktop/minutes.txt", b"said\n")
    apply(desk, "open", path="/home/user/Desktop/minutes.txt")
    assert any("minutes" in title for title in titles(desk))


def test_a_file_that_is_not_there_cannot_be_opened(desk: Desk) -> None:
    with pytest.raises(InfraError, match=r"/home/user/gone\.docx cannot be opened"):
        apply(desk, "open", path="/home/user/gone.docx")


# --- time --------------------


def test_a_sleep_of_ten_minutes_ends_once_the_screen_is_at_rest(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    step, replies = desk.guest.step, []

    def step_and_keep(*args: Any, **more: Any) -> StepReply:
        replies.append(step(*args, **more))
        return replies[-1]

    monkeypatch.setattr(desk.guest, "step", step_and_keep)
    apply(desk, "sleep", seconds=600)
    assert [reply.settled for reply in replies] == [True]


def test_the_published_sleep_lasts_as_long_as_it_says(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    apply(replace(desk, convention="upstream"), "sleep", seconds=10)
    assert slept == [10]
