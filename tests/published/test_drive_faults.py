"""A Drive that misbehaves is asked again where that does no harm; else it is told in a sentence."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import pytest

from pytest_rogue.errors import InfraError
from pytest_rogue.published.drive.account import read_account
from pytest_rogue.published.drive.exchange import DriveExchange
from pytest_rogue.published.drive.files import Drive
from tests.published.google_checkout import CONSENT_FILE, DRIVE_FILE, write_drive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.published.google_checkout import DriveServer

BUSY = {"status": 429, "retry_after": 0}
BROKEN = {"status": 503, "retry_after": 0}


@pytest.fixture
def files(tmp_path: Path, drive: DriveServer) -> Iterator[Drive]:
    """Return the Drive as its owner is let in."""
    write_drive(tmp_path, drive.url)
    exchange = DriveExchange(read_account(tmp_path, DRIVE_FILE))
    yield Drive(exchange)
    exchange.close()


def test_an_access_token_that_has_run_out_is_renewed(files: Drive, drive: DriveServer) -> None:
    drive.tell(files=[{"name": "plan"}])
    assert len(files.find("title = 'plan'")) == 1
    drive.tell(expire=True)
    assert len(files.find("title = 'plan'")) == 1


@pytest.mark.parametrize("refusal", ["invalid_grant", "invalid_client"])
def test_a_consent_that_is_withdrawn_is_told_with_what_to_do(files: Drive, drive: DriveServer, refusal: str) -> None:
    drive.tell(refuse=refusal)
    with pytest.raises(InfraError, match=r"no longer valid \(Token has been expired.*`pytest-rogue drive login`"):
        files.find("title = 'plan'")
    assert drive.asked() == []


def test_a_consent_that_is_withdrawn_in_the_middle_is_told(files: Drive, drive: DriveServer) -> None:
    files.find("title = 'plan'")
    drive.tell(expire=True, refuse="invalid_grant")
    with pytest.raises(InfraError, match="no longer valid"):
        files.find("title = 'plan'")


def test_an_error_names_the_file_of_the_consent_and_not_what_is_in_it(tmp_path: Path, drive: DriveServer) -> None:
    secret = "1//another-refresh-token"
    write_drive(tmp_path, drive.url, refresh_token=secret)
    exchange = DriveExchange(read_account(tmp_path, DRIVE_FILE))
    with pytest.raises(InfraError) as told:
        exchange.ask("GET", "/drive/v3/files", params={"q": ""})
    exchange.close()
    assert CONSENT_FILE in str(told.value)
    assert secret not in str(told.value)
    assert json.loads((tmp_path / CONSENT_FILE).read_text())["refresh_token"] == secret


@pytest.mark.parametrize(
    "fault",
    [
        BUSY,
        {"status": 403, "reason": "userRateLimitExceeded", "retry_after": 0},
        {"status": 403, "reason": "rateLimitExceeded", "retry_after": 0},
    ],
    ids=str,
)
def test_what_was_refused_for_its_rate_is_asked_again(files: Drive, drive: DriveServer, fault: object) -> None:
    drive.tell(answers=[fault, fault])
    files.make_folders(["new"])
    assert drive.names() == ["new"]


def test_a_drive_that_stays_busy_is_told_after_six_tries(files: Drive, drive: DriveServer) -> None:
    drive.tell(answers=[BUSY] * 10)
    with pytest.raises(InfraError, match="with 429"):
        files.find("title = 'plan'")
    assert len(drive.asked()) == 6


def test_a_drive_that_wants_a_long_wait_is_not_waited_for(files: Drive, drive: DriveServer) -> None:
    drive.tell(answers=[{"status": 429, "retry_after": 3600}])
    with pytest.raises(InfraError, match="asks to wait 3600 s"):
        files.find("title = 'plan'")
    assert len(drive.asked()) == 1


@pytest.mark.parametrize("fault", [BROKEN, "lost"], ids=str)
def test_a_question_that_changes_nothing_is_asked_again(files: Drive, drive: DriveServer, fault: object) -> None:
    drive.tell(files=[{"name": "plan"}], answers=[fault])
    assert len(files.find("title = 'plan'")) == 1


@pytest.mark.parametrize(("fault", "made"), [(BROKEN, 0), ("lost", 1)], ids=str)
def test_a_folder_is_never_made_twice(files: Drive, drive: DriveServer, fault: object, made: int) -> None:
    drive.tell(answers=[None, fault])
    with pytest.raises(InfraError, match="not sent again" if made else "with 503"):
        files.make_folders(["new"])
    assert len(drive.files()) == made


def test_a_deletion_whose_answer_was_lost_is_done_once_and_well(files: Drive, drive: DriveServer) -> None:
    drive.tell(files=[{"name": "plan"}])
    (file,) = files.find("title = 'plan'")
    drive.tell(answers=["lost"])
    files.delete(file, trash=False)
    assert drive.names() == []


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ({"status": 403, "reason": "accessNotConfigured"}, "switch on the Google Drive API"),
        ({"status": 403, "reason": "insufficientPermissions"}, "`pytest-rogue drive login`"),
        ({"status": 403, "reason": "storageQuotaExceeded"}, "with 403: told to: storageQuotaExceeded"),
        ({"status": 400, "reason": "invalid"}, "with 400: told to: invalid"),
        ("unpacked", "no JSON object"),
    ],
    ids=str,
)
def test_a_refusal_is_told_once_with_what_to_do(files: Drive, drive: DriveServer, fault: object, told: str) -> None:
    drive.tell(answers=[fault])
    with pytest.raises(InfraError, match=told):
        files.find("title = 'plan'")
    assert len(drive.asked()) == 1


def test_a_file_that_is_too_large_is_not_read_to_its_end(
    files: Drive, drive: DriveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_rogue.published.drive.exchange.LARGEST", 10_000)
    drive.tell(files=[{"name": "plan", "text": "x" * 20_000}])
    (file,) = files.find("title = 'plan'")
    with pytest.raises(InfraError, match="more than 10,000 bytes"):
        files.content(file, "plan")


def test_a_drive_that_cannot_be_reached_is_told(tmp_path: Path, immediately: Callable[[], None]) -> None:
    immediately()
    with socket.socket() as closed:  # bound and not listening: nobody else gets this port, and nobody answers
        closed.bind(("127.0.0.1", 0))
        write_drive(tmp_path, f"http://127.0.0.1:{closed.getsockname()[1]}")
        exchange = DriveExchange(read_account(tmp_path, DRIVE_FILE))
        with pytest.raises(InfraError, match=r"127\.0\.0\.1 could not be asked"):
            exchange.ask("GET", "/drive/v3/files")
        exchange.close()


@pytest.fixture
def immediately(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Let the next tries follow at once."""
    return lambda: monkeypatch.setattr("pytest_rogue.published.drive.exchange._pause", lambda _: 0.0)
