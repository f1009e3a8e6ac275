"""`pytest-rogue drive`: consent is got once, by hand; whether it holds is told without changing anything."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx

from pytest_rogue.cli import main
from pytest_rogue.published.drive.account import account_lacks
from tests.published.google_checkout import CONSENT_FILE, DRIVE_FILE, write_client, write_drive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

    from tests.published.google_checkout import DriveServer


@contextmanager
def login(checkout: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    """Call the command as somebody at a terminal does."""
    command = [sys.executable, "-u", "-m", "pytest_rogue.cli", "drive", "login", "--no-browser", *more, str(checkout)]
    environment = os.environ | {"OAUTHLIB_INSECURE_TRANSPORT": "1"}  # the stand-in has no certificate
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def visit_address(process: subprocess.Popen[str]) -> None:
    """Open the address that is printed, as a browser does."""
    assert process.stdout is not None
    address = re.search(r"https?://\S+", process.stdout.readline())
    assert address is not None
    httpx.get(address[0], follow_redirects=True, trust_env=False, timeout=60).raise_for_status()


def test_a_consent_is_saved_and_used(tmp_path: Path, drive: DriveServer, capsys: pytest.CaptureFixture[str]) -> None:
    write_drive(tmp_path, drive.url).unlink()
    write_client(tmp_path, drive.url)
    with login(tmp_path) as process:
        visit_address(process)
        said, faults = process.communicate()
    assert (process.returncode, said) == (0, f"saved: {tmp_path / CONSENT_FILE}\n"), faults
    assert main(["drive", "check", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("ready: the Google Drive of rogue.tests@example.org")


def test_a_consent_is_for_its_owners_eyes_only_and_in_the_form_that_pydrive_reads(
    tmp_path: Path, drive: DriveServer
) -> None:
    write_drive(tmp_path, drive.url).unlink()
    write_client(tmp_path, drive.url)
    with login(tmp_path) as process:
        visit_address(process)
        process.communicate()
    saved = tmp_path / CONSENT_FILE
    assert saved.stat().st_mode & 0o777 == 0o600
    assert json.loads(saved.read_text())["_class"] == "OAuth2Credentials"
    assert account_lacks(tmp_path, DRIVE_FILE) == ""


def test_an_owner_who_does_not_consent_leaves_everything_as_it_was(tmp_path: Path, drive: DriveServer) -> None:
    before = write_drive(tmp_path, drive.url).read_text()
    write_client(tmp_path, drive.url)
    drive.tell(deny=True)
    with login(tmp_path) as process:
        visit_address(process)
        _, faults = process.communicate()
    assert process.returncode == 1
    assert "Google gave no consent: access_denied" in faults
    assert (tmp_path / CONSENT_FILE).read_text() == before


def test_an_owner_who_does_not_come_is_not_waited_for_without_end(tmp_path: Path, drive: DriveServer) -> None:
    write_drive(tmp_path, drive.url)
    write_client(tmp_path, drive.url)
    with login(tmp_path, "--timeout=0.1") as process:
        _, faults = process.communicate()
    assert "nobody consented within 0.1 s" in faults


def test_a_client_of_another_kind_is_told(
    tmp_path: Path, drive: DriveServer, capsys: pytest.CaptureFixture[str]
) -> None:
    write_drive(tmp_path, drive.url)
    write_client(tmp_path, drive.url, kind="service_account")
    assert main(["drive", "login", "--no-browser", str(tmp_path)]) == 1
    assert "is no client for installed applications" in capsys.readouterr().err


def test_a_missing_client_is_told(tmp_path: Path, drive: DriveServer, capsys: pytest.CaptureFixture[str]) -> None:
    write_drive(tmp_path, drive.url)
    assert main(["drive", "login", "--no-browser", str(tmp_path)]) == 1
    assert "the client for Google Drive is not set up: there is no" in capsys.readouterr().err


def test_what_a_drive_lacks_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drive", "check", str(tmp_path)]) == 1
    assert "Google Drive is not set up" in capsys.readouterr().err
