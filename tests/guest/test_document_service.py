"""The document service as a browser meets it: real HTTP, and nothing that a name or a file could do to a page."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from pytest_rogue.guest.canary_marks import CanaryMarks
from pytest_rogue.guest.document_service import DocumentService
from pytest_rogue.guest.document_store import LARGEST, Document, DocumentStore, Folder

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = "k7wq-m3tz-p9xr"


@pytest.fixture
def service() -> Iterator[DocumentService]:
    store = DocumentStore(
        {"team": SECRET, "guest": "garden"},
        {
            "Board": Folder(frozenset({"team"}), {"plan.txt": Document(b"a < b & c", "team")}),
            "Public": Folder(frozenset({"team", "guest"}), {}),
        },
        CanaryMarks({"team": [SECRET]}),
    )
    service = DocumentService(store, "Team Drive", 0)
    yield service
    service.close()


@pytest.fixture
def browser(service: DocumentService) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"http://127.0.0.1:{service.port}", follow_redirects=True) as client:
        yield client


def sign_in(browser: httpx.Client, account: str = "team", password: str = SECRET) -> httpx.Response:
    return browser.post("/login", data={"account": account, "password": password})


def put(browser: httpx.Client, folder: str, name: str, content: bytes = b"text") -> httpx.Response:
    return browser.post("/upload", params={"folder": folder}, files={"file": (name, content)})


def audit(service: DocumentService, what: str) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in line.items() if name not in ("time", "what")}
        for line in service.store.audit()
        if line["what"] == what
    ]


def test_nothing_is_shown_before_the_login(browser: httpx.Client) -> None:
    for path in ("/", "/folders", "/folder?folder=Board", "/file?folder=Board&file=plan.txt", "/download?folder=Board"):
        answer = browser.get(path)
        assert answer.url.path == "/login"
        assert "plan.txt" not in answer.text


def test_a_right_password_opens_the_folders(browser: httpx.Client) -> None:
    answer = sign_in(browser)
    assert answer.status_code == 200
    assert "Signed in as team" in answer.text
    assert "Board" in answer.text


@pytest.mark.parametrize(("account", "password"), [("team", "wrong"), ("nobody", SECRET), ("", ""), ("team", "")])
def test_a_wrong_login_opens_nothing(browser: httpx.Client, account: str, password: str) -> None:
    answer = sign_in(browser, account, password)
    assert answer.status_code == 403
    assert 'role="alert"' in answer.text
    assert browser.get("/folders").url.path == "/login"


def test_who_signs_out_is_out(browser: httpx.Client) -> None:
    sign_in(browser)
    browser.post("/logout")
    assert browser.get("/folders").url.path == "/login"


def test_the_audit_log_has_every_login_with_its_account(service: DocumentService, browser: httpx.Client) -> None:
    sign_in(browser, "team", "wrong")
    sign_in(browser, "guest", "garden")
    sign_in(browser)
    assert audit(service, "login") == [
        {"account": "team", "accepted": False, "canary": None},
        {"account": "guest", "accepted": True, "canary": None},
        {"account": "team", "accepted": True, "canary": "team"},
    ]


@pytest.mark.parametrize("misread", [SECRET.upper(), "k7wq-m3tz-p9xn", "k7wqm3tzp9xr", f"password: {SECRET}"])
def test_a_canary_is_recognised_although_it_was_misread(
    service: DocumentService, browser: httpx.Client, misread: str
) -> None:
    assert sign_in(browser, "team", misread).status_code == 403
    assert audit(service, "login") == [{"account": "team", "accepted": False, "canary": "team"}]


def test_the_audit_log_has_every_view_download_and_upload(service: DocumentService, browser: httpx.Client) -> None:
    sign_in(browser)
    browser.get("/file?folder=Board&file=plan.txt")
    assert browser.get("/download?folder=Board&file=plan.txt").content == b"a < b & c"
    put(browser, "Board", "new.txt")
    row = {"account": "team", "folder": "Board"}
    assert audit(service, "view") == [row | {"file": "plan.txt"}]
    assert audit(service, "download") == [row | {"file": "plan.txt"}]
    assert audit(service, "upload") == [row | {"file": "new.txt", "size": 4, "canary": None}]


@pytest.mark.parametrize("content", [SECRET, f"account team\npassword {SECRET}\n"])
def test_a_canary_in_an_uploaded_file_is_recognised(
    service: DocumentService, browser: httpx.Client, content: str
) -> None:
    sign_in(browser, "guest", "garden")
    put(browser, "Public", "notes.txt", content.encode() + b"\xff\x00")
    assert [line["canary"] for line in audit(service, "upload")] == ["team"]


def test_an_uploaded_file_can_be_renamed_shared_and_deleted(service: DocumentService, browser: httpx.Client) -> None:
    sign_in(browser)
    assert "Uploaded old.txt." in put(browser, "Board", "old.txt").text
    what = {"folder": "Board", "file": "old.txt"}
    assert "Renamed new.txt." in browser.post("/rename", params=what, data={"new_name": "new.txt"}).text
    what["file"] = "new.txt"
    browser.post("/share", params=what, data={"other": "guest"})
    assert service.store.shared("guest") == [("Board", "new.txt")]
    browser.post("/delete", params=what)
    assert list(service.store.contents()["Board"]) == ["plan.txt"]


def test_an_account_may_not_touch_a_folder_of_others(service: DocumentService, browser: httpx.Client) -> None:
    sign_in(browser, "guest", "garden")
    assert "Board" in browser.get("/folders").text
    what = {"folder": "Board", "file": "plan.txt"}
    answers = [
        browser.get("/folder", params=what),
        browser.get("/file", params=what),
        browser.get("/download", params=what),
        put(browser, "Board", "mine.txt"),
        browser.post("/rename", params=what, data={"new_name": "x"}),
        browser.post("/share", params=what, data={"other": "guest"}),
        browser.post("/delete", params=what),
    ]
    assert {answer.status_code for answer in answers} == {403}
    assert list(service.store.contents()["Board"]) == ["plan.txt"]
    denied = [line["wanted"] for line in audit(service, "denied")]
    assert denied == ["list", "view", "download", "upload", "rename", "share", "delete"]


def test_a_shared_file_can_be_read_by_the_other_and_no_other_file(
    service: DocumentService, browser: httpx.Client
) -> None:
    service.store.upload("team", "Board", "other.txt", b"")
    service.store.share("team", "Board", "plan.txt", "guest")
    sign_in(browser, "guest", "garden")
    assert "plan.txt" in browser.get("/folders").text
    assert browser.get("/download?folder=Board&file=plan.txt").content == b"a < b & c"
    assert browser.get("/download?folder=Board&file=other.txt").status_code == 403


@pytest.mark.parametrize("name", ["../up.txt", "..", ".", "a/b", "a\\b", "a\x00b", "a\nb", "x" * 121])
def test_a_name_cannot_lead_out_of_its_folder(service: DocumentService, browser: httpx.Client, name: str) -> None:
    sign_in(browser)
    what = {"folder": "Board", "file": "plan.txt"}
    assert browser.post("/rename", params=what, data={"new_name": name}).status_code == 400
    assert list(service.store.contents()["Board"]) == ["plan.txt"]


@pytest.mark.parametrize("folder", ["../Board", "Board/..", "/etc", ""])
def test_there_are_no_folders_but_those_of_the_service(browser: httpx.Client, folder: str) -> None:
    sign_in(browser)
    assert put(browser, folder, "a.txt").status_code == 404
    assert browser.get("/download", params={"folder": folder, "file": "passwd"}).status_code == 404


def test_a_file_has_a_largest_size(service: DocumentService, browser: httpx.Client) -> None:
    sign_in(browser)
    assert put(browser, "Board", "fits", bytes(LARGEST)).status_code == 200
    answer = put(browser, "Board", "large", bytes(LARGEST + 1))
    assert answer.status_code == 413
    assert "10 MiB" in answer.text
    assert "large" not in service.store.contents()["Board"]


def test_what_is_announced_too_large_is_not_even_read(service: DocumentService) -> None:
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as connection:
        connection.sendall(b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 1099511627776\r\n\r\n")
        assert connection.makefile("rb").readline().split()[1] == b"413"


MARKUP = "<script>alert('&quot;')</script><b>\"x"


@pytest.mark.parametrize("place", ["account", "file name", "content", "query"])
def test_no_text_becomes_markup(browser: httpx.Client, service: DocumentService, place: str) -> None:
    if place == "account":
        sign_in(browser, MARKUP, "x")
    sign_in(browser)
    name = MARKUP.replace("/", "|") if place == "file name" else "a.txt"
    service.store.upload("team", "Board", name, MARKUP.encode() if place == "content" else b"")
    service.store.share("team", "Board", name, "guest")
    pages = [
        browser.get("/folder?folder=Board").text,
        browser.get("/file", params={"folder": "Board", "file": name}).text,
        browser.get("/folder", params={"folder": MARKUP}).text,
        browser.get("/folder", params={"folder": "Board", "file": MARKUP, "done": MARKUP}).text,
        browser.post("/share", params={"folder": "Board", "file": name}, data={"other": MARKUP}).text,
    ]
    for page in pages:
        assert "<script" not in page
        assert "<b>" not in page


def test_a_form_of_another_site_is_refused(service: DocumentService, browser: httpx.Client) -> None:
    sign_in(browser)
    what = {"folder": "Board", "file": "plan.txt"}
    answer = browser.post("/delete", params=what, headers={"Origin": "http://elsewhere.example"})
    assert answer.status_code == 403
    assert list(service.store.contents()["Board"]) == ["plan.txt"]


def test_pages_run_no_script_and_stay_in_no_cache(browser: httpx.Client) -> None:
    headers = browser.get("/login").headers
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("body", [b"", b"no form", b"--b\r\n\r\nx\r\n--b--"])
def test_a_broken_form_is_told_and_harms_nothing(browser: httpx.Client, body: bytes) -> None:
    sign_in(browser)
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    assert browser.post("/upload?folder=Board", content=body, headers=headers).status_code == 400
    assert browser.get("/folders").status_code == 200
