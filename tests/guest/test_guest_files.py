"""Files in and out of the desktop."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import httpx

    from tests.guest._guest import Guest

pytestmark = pytest.mark.desktop

EVERY_BYTE = bytes(range(256)) * 3


def put(guest: Guest, path: str, data: bytes, **query: str) -> httpx.Response:
    return guest.http.put("/rogue/v1/file", params={"path": path} | query, content=data)


def get(guest: Guest, path: str) -> httpx.Response:
    return guest.http.get("/rogue/v1/file", params={"path": path})


def test_a_file_comes_back_as_it_was_sent(guest: Guest) -> None:
    assert put(guest, "~/a b/ü/bytes.bin", EVERY_BYTE).json() == {"size": 768}
    assert get(guest, "~/a b/ü/bytes.bin").content == EVERY_BYTE
    assert (guest.home / "a b/ü/bytes.bin").read_bytes() == EVERY_BYTE


def test_an_empty_file_is_a_file(guest: Guest) -> None:
    put(guest, "~/empty", b"")
    answer = get(guest, "~/empty")
    assert (answer.status_code, answer.content) == (200, b"")


def test_the_mode_is_set(guest: Guest) -> None:
    put(guest, "~/script", b"#!/bin/sh\n", mode="755")
    assert (guest.home / "script").stat().st_mode & 0o7777 == 0o755


def test_a_file_is_replaced_as_a_whole(guest: Guest) -> None:
    put(guest, "~/replaced", b"old and longer")
    before = (guest.home / "replaced").stat().st_ino
    put(guest, "~/replaced", b"new")
    assert (guest.home / "replaced").read_bytes() == b"new"
    assert (guest.home / "replaced").stat().st_ino != before


@pytest.mark.parametrize("path", ["~/no-such-file", "~", "/etc/passwd/x", "~/pipe"])
def test_what_is_no_file_is_not_found(guest: Guest, path: str) -> None:
    if not (guest.home / "pipe").exists():
        os.mkfifo(guest.home / "pipe")
    answer = get(guest, path)
    assert answer.status_code == 404
    assert answer.json()["error"]["kind"] == "not_found"


@pytest.mark.parametrize("path", ["relative", "", "~nobody-of-this-name/x", "/tmp/a\0b"])
def test_a_path_that_begins_nowhere_is_refused(guest: Guest, path: str) -> None:
    assert put(guest, path, b"").status_code == 400


@pytest.mark.parametrize("mode", ["9", "rwx", "77777", "-1", ""])
def test_a_mode_that_is_not_octal_is_refused(guest: Guest, mode: str) -> None:
    assert put(guest, "~/moded", b"", mode=mode).status_code == 400


def test_a_folder_is_not_overwritten(guest: Guest) -> None:
    guest.post("folder", path="~/a folder/below")
    assert put(guest, "~/a folder/below", b"").status_code == 400
    assert put(guest, "~/a file", b"").status_code == 200
    assert put(guest, "~/a file/below", b"").status_code == 400


def test_a_file_beyond_the_limit_is_told_not_cut(guest: Guest) -> None:
    with (guest.home / "huge").open("wb") as file:
        file.truncate((64 << 20) + 1)
    answer = get(guest, "~/huge")
    (guest.home / "huge").unlink()
    assert answer.status_code == 413
    assert answer.json()["error"]["kind"] == "too_large"


def test_a_folder_is_listed_with_all_below_it(guest: Guest) -> None:
    root = guest.home / "listed"
    (root / "b" / "c").mkdir(parents=True)
    (root / "b" / "c" / "d.txt").write_text("four")
    (root / "a").write_text("")
    (root / "a").chmod(0o600)
    (root / "z").symlink_to("/etc")
    entries = guest.get("list", path="~/listed")["entries"]
    assert [(entry["path"], entry["type"]) for entry in entries] == [
        ("a", "file"),
        ("b", "folder"),
        ("b/c", "folder"),
        ("b/c/d.txt", "file"),
        ("z", "link"),
    ]
    assert (entries[0]["mode"], entries[3]["size"]) == ("600", 4)


@pytest.mark.parametrize(("number", "cut"), [(10_000, False), (10_001, True)])
def test_at_most_ten_thousand_entries_are_listed_and_more_are_told(guest: Guest, number: int, cut: bool) -> None:
    root = guest.home / f"crowded-{number}"
    root.mkdir()
    for name in range(number):
        (root / str(name)).touch()
    answer = guest.get("list", path=f"~/{root.name}")
    assert (len(answer["entries"]), answer["cut"], answer["unreadable"]) == (10_000, cut, [])


@pytest.mark.parametrize("mode", [0o000, 0o100, 0o400])
def test_a_folder_below_that_cannot_be_looked_into_is_told(guest: Guest, mode: int) -> None:
    root = guest.home / f"partly-{mode:o}"
    (root / "open").mkdir(parents=True)
    (root / "open" / "closed").mkdir()
    (root / "open" / "closed" / "file").touch()
    (root / "open" / "closed").chmod(mode)
    answer = guest.get("list", path=f"~/{root.name}")
    (root / "open" / "closed").chmod(0o700)
    assert (answer["unreadable"], answer["cut"]) == (["open/closed"], False)


def test_names_that_are_not_utf8_are_listed_with_escapes(guest: Guest) -> None:
    folder = guest.home / "odd" / os.fsdecode(b"\xff\xfe")
    folder.mkdir(parents=True)
    (folder / os.fsdecode(b"caf\xe9 \xc3\xa9")).touch()
    entries = guest.get("list", path="~/odd")["entries"]
    assert [entry["path"] for entry in entries] == ["\\xff\\xfe", "\\xff\\xfe/caf\\xe9 é"]


def test_the_status_of_file_folder_and_link(guest: Guest) -> None:
    root = guest.home / "status"
    root.mkdir(mode=0o700)
    put(guest, "~/status/file", b"four", mode="640")
    (root / "link").symlink_to("nowhere")
    assert guest.get("stat", path="~/status/file") == {"type": "file", "size": 4, "mode": "640"}
    assert (guest.get("stat", path="~/status")["type"], guest.get("stat", path="~/status")["mode"]) == ("folder", "700")
    assert guest.get("stat", path="~/status/link")["type"] == "link"
    answer = guest.http.get("/rogue/v1/stat", params={"path": "~/status/none"})
    assert (answer.status_code, answer.json()["error"]["kind"]) == (404, "not_found")


# --- what the user cannot read is told as such --------------------


def status_of(guest: Guest, what: str, path: str) -> tuple[int, str]:
    answer = guest.http.get(f"/rogue/v1/{what}", params={"path": path})
    return answer.status_code, answer.json()["error"]["kind"]


def test_a_file_without_permissions_is_unreadable(guest: Guest) -> None:
    put(guest, "~/closed", b"x", mode="000")
    assert status_of(guest, "file", "~/closed") == (403, "unreadable")


def test_links_in_a_circle_are_unreadable(guest: Guest) -> None:
    (guest.home / "circle").symlink_to("circle")
    assert status_of(guest, "file", "~/circle") == (403, "unreadable")
    assert status_of(guest, "list", "~/circle") == (403, "unreadable")


@pytest.mark.parametrize("what", ["file", "list", "stat"])
def test_what_lies_in_a_folder_without_permissions_is_unreadable(guest: Guest, what: str) -> None:
    root = guest.home / f"sealed-{what}"
    (root / "below").mkdir(parents=True)
    root.chmod(0o000)
    told = status_of(guest, what, f"~/{root.name}/below")
    root.chmod(0o700)
    assert told == (403, "unreadable")


def test_a_socket_is_no_file(guest: Guest) -> None:
    code = "import os, socket\nsocket.socket(socket.AF_UNIX).bind(os.path.expanduser('~/a-socket'))"
    assert guest.run(code)["exit_code"] == 0
    assert status_of(guest, "file", "~/a-socket") == (404, "not_found")


def test_a_missing_folder_is_not_found(guest: Guest) -> None:
    assert guest.http.get("/rogue/v1/list", params={"path": "~/no-such-folder"}).status_code == 404


def test_making_a_folder_twice_is_fine(guest: Guest) -> None:
    assert guest.post("folder", path="~/twice/deep") == {}
    assert guest.post("folder", path="~/twice/deep") == {}
    assert (guest.home / "twice" / "deep").is_dir()
