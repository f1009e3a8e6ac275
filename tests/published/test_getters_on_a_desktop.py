"""The getters of files, commands, dates and windows of published tasks, on an embedded desktop."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import GuestFileMissing, InfraError
from pytest_rogue.published import kinds
from pytest_rogue.published.protocol import Fetched
from tests.published.desks import desk, guest

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.published.protocol import Desk

__all__ = ["desk", "guest"]

pytestmark = pytest.mark.desktop

PALETTE = """
import gi, os
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk

def pressed(window, event):
    wanted = Gdk.ModifierType.CONTROL_MASK | Gdk.ModifierType.SHIFT_MASK
    if event.state & wanted == wanted and Gdk.keyval_name(event.keyval) == "P":
        entry.show()
        entry.grab_focus()
        return True

def entered(entry):
    with open("answer.part", "w") as file:
        file.write(entry.get_text())
    os.rename("answer.part", "answer.txt")

entry = Gtk.Entry()
entry.connect("activate", entered)
window = Gtk.Window(title="editor with a palette")
window.add(entry)
window.connect("key-press-event", pressed)
window.show()
Gtk.main()
"""
"""An editor whose palette opens by ctrl+shift+p, and whose only command writes its own name into a file."""


def get(desk: Desk, kind: str, **fields: Any) -> Any:
    return kinds.getters()[kind].model_validate_json(json.dumps(fields)).get(desk)


def test_a_file_of_the_desktop_is_brought_under_its_name(desk: Desk) -> None:
    desk.guest.write_file("/home/user/a.json", b"{}")
    assert get(desk, "vm_file", path="/home/user/a.json", dest="b.json") == Fetched("b.json", b"{}")


def test_of_several_files_those_that_are_given_are_brought(desk: Desk) -> None:
    for name in ("one", "two", "three"):
        desk.guest.write_file(f"~/{name}", name.encode())
    paths = ["/home/user/one", "/home/user/two", "/home/user/three"]
    brought = get(desk, "vm_file", path=paths, dest=["1", "2", "3"], multi=True, gives=[2, 0])
    assert brought == [Fetched("3", b"three"), Fetched("1", b"one")]


def test_a_file_that_the_desktop_has_not_is_a_finding(desk: Desk) -> None:
    with pytest.raises(GuestFileMissing, match="/home/user/gone"):
        get(desk, "vm_file", path="/home/user/gone", dest="gone")


def test_one_of_several_files_that_is_missing_is_a_finding_and_upstream_goes_on_without_it(desk: Desk) -> None:
    desk.guest.write_file("~/one", b"one")
    several = {"path": ["/home/user/gone", "/home/user/one"], "dest": ["0", "1"], "multi": True, "gives": [0, 1]}
    with pytest.raises(GuestFileMissing, match="/home/user/gone"):
        get(desk, "vm_file", **several)
    assert get(replace(desk, convention="upstream"), "vm_file", **several) == [None, Fetched("1", b"one")]


def test_a_command_gives_what_it_prints_whatever_its_exit_code(desk: Desk) -> None:
    fields = {"command": "echo found; false", "shell": True}
    assert get(desk, "vm_command_line", **fields) == "found\n"


def test_a_pipe_in_a_list_is_run_as_the_pipe_that_was_meant(desk: Desk) -> None:
    desk.guest.make_folder("~/project")
    desk.guest.write_file("~/in the home folder", b"")
    command = ["ls", "/home/user/project", "|", "grep", "in the home folder"]
    assert get(desk, "vm_command_line", command=command) == ""
    desk.guest.write_file("~/project/in the home folder", b"")
    assert get(desk, "vm_command_line", command=command) == "in the home folder\n"


def test_the_published_runs_found_a_file_in_the_wrong_folder(desk: Desk) -> None:
    desk.guest.make_folder("~/empty")
    desk.guest.write_file("~/misplaced", b"")
    command = ["ls", "/home/user/empty", "|", "grep", "misplaced"]
    assert "misplaced" in get(replace(desk, convention="upstream"), "vm_command_line", command=command)


def test_a_rule_with_dates_goes_by_the_clock_of_the_desktop(desk: Desk) -> None:
    def year() -> str:
        return desk.guest.run(["date", "-d", "+8 months", "+%Y"]).stdout.strip()

    rules = {"relativeTime": {"from": "first monday eight months later"}, "expected": {"time": "{Year}", "city": "X"}}
    before = year()
    given = get(desk, "rule_relativeTime", rules=rules)
    assert given in [{"expected": {"time": at, "city": "X"}} for at in (before, year())]


def test_a_rule_with_a_time_zone_takes_the_day_it_is_there(desk: Desk) -> None:
    # 26 hours apart: somewhere it is always another day.
    rules = {"relativeTime": {"from": "next week Monday"}, "expected": {"time": "{Year}-{Month0D}-{Day0D}"}}
    line = "TZ={} date -d 'next monday' +%Y-%m-%d"
    for zone in ("Pacific/Kiritimati", "Etc/GMT+12"):
        before = desk.guest.run(["/bin/sh", "-c", line.format(zone)]).stdout.strip()
        given = get(desk, "rule_relativeTime", rules=rules | {"timezone": zone})
        after = desk.guest.run(["/bin/sh", "-c", line.format(zone)]).stdout.strip()
        assert given["expected"]["time"] in (before, after)


def test_what_the_editor_says_is_asked_for_by_keyboard(desk: Desk) -> None:
    desk.guest.launch(["/usr/bin/python3", "-c", PALETTE], "palette")
    desk.guest.write_file("~/answer.txt", b"of an earlier time")
    brought = get(desk, "vscode_config", vscode_extension_command="Open-it", path="/home/user/answer.txt", dest="a.txt")
    assert brought == Fetched("a.txt", b"Open-it")


def test_an_editor_that_says_nothing_is_a_finding(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_rogue.published.getters.vscode.ANSWER_SECONDS", 0.2)
    desk.guest.write_file("~/answer.txt", b"of an earlier time")
    with pytest.raises(GuestFileMissing, match="'OpenProject' wrote nothing"):
        get(desk, "vscode_config", vscode_extension_command="OpenProject", path="answer.txt", dest="a.txt")


def test_the_accessibility_tree_has_what_stands_on_the_screen(desk: Desk) -> None:
    desk.guest.launch(["/usr/bin/python3", "-c", PALETTE], "palette")
    tree = get(desk, "accessibility_tree")
    assert "editor with a palette" in tree.xml
    assert tree.problem == ""


def test_a_tree_that_is_cut_comes_with_what_is_missing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_rogue.desktops.guest_client.MOST_NODES", 1)
    desk.guest.launch(["/usr/bin/python3", "-c", PALETTE], "palette")
    assert get(desk, "accessibility_tree").problem != ""


def test_what_no_command_has_printed_is_a_fault(desk: Desk) -> None:
    desk.kept["known.out"] = b""
    with pytest.raises(InfraError, match=r"'diff\.out'; kept are: known\.out"):
        get(desk, "cache_file", path="diff.out")


def test_what_a_command_has_printed_is_brought(desk: Desk) -> None:
    desk.kept["diff.out"] = b"1c1\n"
    assert get(desk, "cache_file", path="diff.out") == Fetched("diff.out", b"1c1\n")


def test_a_file_of_the_web_is_brought_under_its_name(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "gold.pdf").write_bytes(b"%PDF")
    given = get(desk, "cloud_file", path="https://files.example/gold.pdf", dest="right.pdf")
    assert given == Fetched("right.pdf", b"%PDF")


def test_several_files_of_the_web_may_be_told_by_a_text(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "1").write_bytes(b"one")
    (tmp_path / "2").write_bytes(b"two")
    paths = ["https://files.example/1", "https://files.example/2"]
    given = get(desk, "cloud_file", path=paths, dest=["a", "b"], multi="true", gives=[0, 1])
    assert given == [Fetched("a", b"one"), Fetched("b", b"two")]
