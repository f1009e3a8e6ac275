"""What is done to a Drive and fetched from it, by real HTTP to a Drive in another process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import GuestFileMissing, InfraError
from pytest_rogue.published.kinds import getters, steps
from pytest_rogue.published.protocol import Desk, Fetched
from tests.published.google_checkout import DRIVE_FILE, FOLDER, desk_at, write_drive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.published.google_checkout import DriveServer

URL = "https://files.example.org/bill.pdf"


@pytest.fixture
def desk(tmp_path: Path, drive: DriveServer) -> Iterator[Desk]:
    write_drive(tmp_path, drive.url)
    (tmp_path / "bill").write_bytes(b"%PDF a bill\r\n\x00\xff")
    desk = desk_at(tmp_path, {URL: tmp_path / "bill"})
    with desk.held:
        yield desk


def step(*pairs: tuple[str, dict[str, Any]]) -> Any:
    operations, arguments = [list(side) for side in zip(*pairs, strict=True)]
    said = {"settings_file": DRIVE_FILE, "operation": operations, "args": arguments}
    return steps()["googledrive"].model_validate(said)


def getter(**said: Any) -> Any:
    return getters()["googledrive_file"].model_validate({"settings_file": DRIVE_FILE, **said})


# --- set up --------------------


def test_what_a_query_finds_is_deleted_and_nothing_else(desk: Desk, drive: DriveServer) -> None:
    drive.tell(files=[{"name": "plan.docx"}, {"name": "plan.pdf"}, {"name": "plan"}, {"name": "O'Hara's plan.pdf"}])
    step(("delete", {"query": "title = 'plan.docx' or title = 'plan.pdf'", "trash": False})).apply(desk)
    assert drive.names() == ["O'Hara's plan.pdf", "plan"]


def test_a_query_may_ask_for_folder_kind_and_trash(desk: Desk, drive: DriveServer) -> None:
    (other,) = drive.tell(files=[{"name": "other", "mimeType": FOLDER}])
    drive.tell(
        files=[
            {"name": "charts", "mimeType": FOLDER},
            {"name": "charts"},
            {"name": "charts", "mimeType": FOLDER, "parents": [other]},
            {"name": "charts", "mimeType": FOLDER, "trashed": True},
        ]
    )
    query = f"title = 'charts' and 'root' in parents and mimeType = '{FOLDER}' and trashed = false"
    step(("delete", {"query": query})).apply(desk)
    left = [(file["mimeType"] == FOLDER, file["parents"], file["trashed"]) for file in drive.files()]
    assert left == [(True, ["root"], False), (False, ["root"], False), (True, [other], False), (True, ["root"], True)]


def test_the_word_title_in_a_name_is_left_as_it_is(desk: Desk, drive: DriveServer) -> None:
    drive.tell(files=[{"name": "a title = 'b'"}, {"name": "a name = 'b'"}])
    step(("delete", {"query": r"title = 'a title = \'b\''"})).apply(desk)
    assert drive.names() == ["a name = 'b'"]


def test_a_folder_is_deleted_with_what_is_in_it_that_the_query_finds_too(desk: Desk, drive: DriveServer) -> None:
    (papers,) = drive.tell(files=[{"name": "papers", "mimeType": FOLDER}])
    drive.tell(files=[{"name": "letter.pdf", "parents": [papers]}, {"name": "other.pdf", "parents": [papers]}])
    drive.tell(files=[{"name": "papers"}])
    step(("delete", {"query": "title = 'letter.pdf' or title = 'papers'"})).apply(desk)
    assert drive.names() == []


def test_all_pages_of_what_is_found_are_deleted(desk: Desk, drive: DriveServer) -> None:
    drive.tell(files=[{"name": "plan"}] * 7)
    step(("delete", {"query": "title = 'plan'"})).apply(desk)
    assert drive.names() == []


def test_deleting_into_the_trash_keeps_the_file(desk: Desk, drive: DriveServer) -> None:
    drive.tell(files=[{"name": "plan"}])
    step(("delete", {"query": "title = 'plan'", "trash": True})).apply(desk)
    assert [file["trashed"] for file in drive.files()] == [True]


def test_what_others_own_is_never_deleted(desk: Desk, drive: DriveServer) -> None:
    drive.tell(files=[{"name": "plan", "ownedByMe": False}])
    step(("delete", {"query": "title = 'plan'"})).apply(desk)
    assert drive.names() == ["plan"]


def test_a_drive_full_of_such_files_is_not_cleared(desk: Desk, drive: DriveServer) -> None:
    drive.tell(files=[{"name": "bill.pdf"}] * 101)
    with pytest.raises(InfraError, match=r"more than 100 files .* use an account made for tests alone"):
        step(("delete", {"query": "title = 'bill.pdf'"})).apply(desk)
    assert len(drive.names()) == 101


def test_folders_are_made_where_they_are_missing(desk: Desk, drive: DriveServer) -> None:
    (work,) = drive.tell(files=[{"name": "work", "mimeType": FOLDER}])
    drive.tell(files=[{"name": "board"}, {"name": "board", "mimeType": FOLDER, "trashed": True}])
    step(("mkdirs", {"path": ["work", "board"]})).apply(desk)
    step(("mkdirs", {"path": ["work", "board"]})).apply(desk)
    made = [file for file in drive.files() if file["parents"] == [work]]
    assert [(file["name"], file["mimeType"]) for file in made] == [("board", FOLDER)]
    assert len(drive.files()) == 4


def test_a_file_is_uploaded_byte_by_byte_to_its_path(desk: Desk, drive: DriveServer) -> None:
    step(("delete", {"query": "title = 'bill.pdf'"}), ("upload", {"path": ["a", "bill.pdf"], "url": URL})).apply(desk)
    folder, file = drive.files()
    assert (folder["name"], file["name"], file["parents"]) == ("a", "bill.pdf", [folder["id"]])
    assert file["text"].encode("latin-1") == b"%PDF a bill\r\n\x00\xff"
    assert file["mimeType"] == "application/pdf"


def test_the_published_convention_uploads_nothing(tmp_path: Path, drive: DriveServer) -> None:
    write_drive(tmp_path, drive.url)
    desk = desk_at(tmp_path, convention="upstream")
    with desk.held:
        step(("upload", {"path": ["bill.pdf"], "url": URL})).apply(desk)
    assert drive.names() == []


def test_a_step_tells_what_it_downloads() -> None:
    assert step(("mkdirs", {"path": ["a"]}), ("upload", {"path": ["a"], "url": URL})).urls() == (URL,)


@pytest.mark.parametrize(
    ("operation", "arguments", "told"),
    [
        (["delete", "mkdirs"], [{"query": "title = 'a'"}], "the args are those of delete, in this order"),
        (["mkdirs"], [{"query": "title = 'a'"}], "the args are those of delete"),
        (["rename"], [{"path": ["a"]}], "Input should be 'delete', 'mkdirs' or 'upload'"),
        (["delete"], [{"query": "title = 'a'", "for_good": True}], "Extra inputs are not permitted"),
        (["delete"], [{"query": "title = 'a'", "trash": "no"}], "Input should be a valid boolean"),
        (["mkdirs"], [{"path": []}], "at least 1 item"),
        (["upload"], [{"path": ["a"], "url": "file:///etc/passwd"}], "String should match pattern"),
        (["mkdirs"], ["a"], "Input should be"),
    ],
)
def test_wrong_operations_are_refused(operation: list[str], arguments: list[Any], told: str) -> None:
    said = {"settings_file": DRIVE_FILE, "operation": operation, "args": arguments}
    with pytest.raises(ValueError, match="1 validation error for GoogleDrive") as refused:
        steps()["googledrive"].model_validate(said)
    assert told in str(refused.value)


# --- fetch --------------------


def test_a_file_is_fetched_by_its_path(desk: Desk, drive: DriveServer) -> None:
    (board,) = drive.tell(files=[{"name": "board", "mimeType": FOLDER}])
    drive.tell(files=[{"name": "plan.pdf", "text": "\xff\x00", "parents": [board]}, {"name": "plan.pdf"}])
    assert getter(path=["board", "plan.pdf"], dest="p.pdf").get(desk) == Fetched("p.pdf", b"\xff\x00")


def test_a_file_is_fetched_by_queries_each_in_the_folder_before(desk: Desk, drive: DriveServer) -> None:
    (papers,) = drive.tell(files=[{"name": "papers", "mimeType": FOLDER}])
    drive.tell(
        files=[{"name": "letter.odt.pdf", "text": "in", "parents": [papers]}, {"name": "letter.pdf", "text": "out"}]
    )
    queries = [
        f"title = 'papers' and mimeType = '{FOLDER}' and trashed = false",
        "( title = 'letter.pdf' or title = 'letter.odt.pdf' ) and trashed = false",
    ]
    assert getter(query=queries, dest="letter.pdf").get(desk) == Fetched("letter.pdf", b"in")


@pytest.mark.parametrize(
    "where",
    [
        {"path_list": [["a", "[x] #1.eml"], ["a", "2.eml"]]},
        {"query_list": [["title = 'a'", "title = '[x] #1.eml'"], ["title = 'a'", "title = '2.eml'"]]},
    ],
)
def test_several_files_come_in_their_order(desk: Desk, drive: DriveServer, where: dict[str, Any]) -> None:
    (folder,) = drive.tell(files=[{"name": "a", "mimeType": FOLDER}])
    drive.tell(files=[{"name": name, "text": name, "parents": [folder]} for name in ("2.eml", "[x] #1.eml")])
    fetched = getter(dest=["one", "two"], **where).get(desk)
    assert fetched == [Fetched("one", b"[x] #1.eml"), Fetched("two", b"2.eml")]


def test_one_of_several_files_that_is_missing_is_a_finding(desk: Desk, drive: DriveServer) -> None:
    drive.tell(files=[{"name": "1.eml", "text": "1"}])
    with pytest.raises(GuestFileMissing, match=r"no file for name = '2\.eml'"):
        getter(path_list=[["1.eml"], ["2.eml"]], dest=["one", "two"]).get(desk)


def test_the_published_convention_goes_on_without_a_missing_file(tmp_path: Path, drive: DriveServer) -> None:
    write_drive(tmp_path, drive.url)
    drive.tell(files=[{"name": "2.eml", "text": "2"}])
    desk = desk_at(tmp_path, convention="upstream")
    with desk.held:
        fetched = getter(path_list=[["1.eml"], ["2.eml"]], dest=["one", "two"]).get(desk)
    assert fetched == [None, Fetched("two", b"2")]


def test_all_folders_of_a_name_are_looked_into_and_the_latest_file_is_taken(desk: Desk, drive: DriveServer) -> None:
    folders = drive.tell(files=[{"name": "a", "mimeType": FOLDER}] * 2)
    drive.tell(files=[{"name": "1.png", "text": text, "parents": [folders[0]]} for text in ("old", "new")])
    assert getter(path=["a", "1.png"], dest="1.png").get(desk) == Fetched("1.png", b"new")


def test_the_published_convention_looks_into_one_folder_only(tmp_path: Path, drive: DriveServer) -> None:
    write_drive(tmp_path, drive.url)
    folders = drive.tell(files=[{"name": "a", "mimeType": FOLDER}] * 2)
    drive.tell(files=[{"name": "1.png", "parents": [folders[0]]}])
    desk = desk_at(tmp_path, convention="upstream")
    with desk.held, pytest.raises(GuestFileMissing):
        getter(path=["a", "1.png"], dest="1.png").get(desk)


def test_a_document_of_drives_own_is_exported(desk: Desk, drive: DriveServer) -> None:
    drive.tell(files=[{"name": "report", "text": "words", "mimeType": "application/vnd.google-apps.document"}])
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    assert getter(path=["report"], dest="r.docx").get(desk) == Fetched("r.docx", f"words as {word}".encode())


def test_the_published_convention_cannot_fetch_a_document_of_drives_own(tmp_path: Path, drive: DriveServer) -> None:
    write_drive(tmp_path, drive.url)
    drive.tell(files=[{"name": "report", "mimeType": "application/vnd.google-apps.document"}])
    desk = desk_at(tmp_path, convention="upstream")
    with desk.held, pytest.raises(GuestFileMissing):
        getter(path=["report"], dest="r.docx").get(desk)


@pytest.mark.parametrize(
    "file", [{}, {"name": "plan.pdf", "trashed": True}, {"name": "plan.pdf", "mimeType": FOLDER}], ids=str
)
def test_a_file_that_is_not_there_is_a_finding(desk: Desk, drive: DriveServer, file: dict[str, Any]) -> None:
    drive.tell(files=[file] if file else [])
    with pytest.raises(GuestFileMissing, match=r"no file for name = 'plan\.pdf'"):
        getter(path=["plan.pdf"], dest="plan.pdf").get(desk)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"dest": "a"}, "give one of path, query, path_list, and query_list"),
        ({"dest": "a", "path": ["a"], "query": ["title = 'a'"]}, "give one of"),
        ({"dest": ["a"], "path": ["a"]}, "dest has to name what path finds"),
        ({"dest": ["a"], "path_list": [["a"], ["b"]]}, "dest has to name what path_list finds, one for each file"),
        ({"dest": "a", "path": []}, "at least 1 item"),
        ({"dest": "a", "path": ["a"], "mode": "fast"}, "Extra inputs are not permitted"),
    ],
)
def test_a_getter_that_does_not_say_what_it_wants_is_refused(said: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        getter(**said)
