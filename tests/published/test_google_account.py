"""The user's Google account: what is missing is told in one sentence, and what is there is kept out of everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_rogue.errors import ConfigError
from pytest_rogue.published.drive.account import account_lacks as drive_lacks
from pytest_rogue.published.google_account import account_lacks, read_account
from pytest_rogue.published.kinds import getters, steps
from pytest_rogue.secrets import scrub
from tests.published.google_checkout import (
    ACCOUNT_FILE,
    CONSENT_FILE,
    DRIVE_FILE,
    EMAIL,
    PASSWORD,
    write_account,
    write_drive,
)

if TYPE_CHECKING:
    from pathlib import Path

NOWHERE = "http://127.0.0.1:1"


def test_the_account_is_read_from_the_file_that_the_task_names(tmp_path: Path) -> None:
    write_account(tmp_path)
    account = read_account(tmp_path, ACCOUNT_FILE)
    assert (account.email, account.password.reveal()) == (EMAIL, PASSWORD)


def test_nothing_is_lacking_where_all_files_are_there(tmp_path: Path) -> None:
    write_account(tmp_path)
    write_drive(tmp_path, NOWHERE)
    assert account_lacks(tmp_path, ACCOUNT_FILE) == ""
    assert drive_lacks(tmp_path, DRIVE_FILE) == ""


def test_a_missing_account_is_told_with_file_and_guide(tmp_path: Path) -> None:
    told = account_lacks(tmp_path, ACCOUNT_FILE)
    assert told.startswith(f"the Google account is not set up: there is no {tmp_path / ACCOUNT_FILE}")
    assert "docs/drive-setup.md" in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("{", "is not JSON of the form"),
        ('{"email": "a@example.org"}', "is not JSON of the form"),
        ('{"email": "your_google_account@gmail.com", "password": "your_google_account_password"}', "is not filled in"),
        ('{"email": "nobody", "password": "long enough"}', "is not filled in"),
        ('{"email": "a@example.org", "password": "short"}', "has less than 6 characters"),
        ('{"email": "a@example.org", "password": "password"}', "or is an ordinary word"),
    ],
)
def test_an_account_file_that_is_of_no_use_is_told(tmp_path: Path, text: str, told: str) -> None:
    write_account(tmp_path).write_text(text)
    assert told in account_lacks(tmp_path, ACCOUNT_FILE)


def test_a_wrong_account_file_is_told_without_what_is_in_it(tmp_path: Path) -> None:
    write_account(tmp_path).write_text(f'{{"email": 1, "password": "{PASSWORD}"}}')
    assert PASSWORD not in account_lacks(tmp_path, ACCOUNT_FILE)


@pytest.mark.parametrize("file", [DRIVE_FILE, CONSENT_FILE])
def test_a_missing_file_of_the_drive_is_told_with_file_and_guide(tmp_path: Path, file: str) -> None:
    write_drive(tmp_path, NOWHERE)
    (tmp_path / file).unlink()
    told = drive_lacks(tmp_path, DRIVE_FILE)
    assert told.startswith(f"Google Drive is not set up: there is no {tmp_path / file}")
    assert "docs/drive-setup.md" in told


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        (DRIVE_FILE, "a: [", "is not a settings file of PyDrive: while parsing"),
        (DRIVE_FILE, "just words", "is not a settings file of PyDrive: it: Input should be"),
        (DRIVE_FILE, "save_credentials: false", "save_credentials_file: Field required"),
        (CONSENT_FILE, "{", "holds no consent that can be renewed by itself"),
        (CONSENT_FILE, '{"client_id": "c", "client_secret": "long-enough"}', "by itself (refresh_token)"),
        (CONSENT_FILE, '{"client_id": "c", "client_secret": "secret", "refresh_token": ""}', "is no consent"),
        (CONSENT_FILE, " ", "is empty"),
    ],
)
def test_a_file_of_the_drive_that_is_of_no_use_is_told(tmp_path: Path, file: str, text: str, told: str) -> None:
    write_drive(tmp_path, NOWHERE)
    (tmp_path / file).write_text(text)
    assert told in drive_lacks(tmp_path, DRIVE_FILE)


def test_the_consent_may_lie_beside_the_settings_file(tmp_path: Path) -> None:
    write_drive(tmp_path, NOWHERE)
    settings = (tmp_path / DRIVE_FILE).read_text()
    (tmp_path / DRIVE_FILE).write_text(settings.replace(CONSENT_FILE, "credentials.json"))
    assert drive_lacks(tmp_path, DRIVE_FILE) == ""


@pytest.mark.parametrize("name", ["googledrive", "google_passwords_file"])
def test_a_step_that_needs_an_account_says_what_is_lacking(tmp_path: Path, name: str) -> None:
    operations = {"settings_file": DRIVE_FILE, "operation": ["delete"], "args": [{"query": "title = 'a'"}]}
    password_file = {"settings_file": ACCOUNT_FILE, "path": "/home/user/Desktop/passwords.txt"}
    step = steps()[name].model_validate(operations if name == "googledrive" else password_file)
    assert "is not set up" in step.lacks(tmp_path)
    write_account(tmp_path)
    write_drive(tmp_path, NOWHERE)
    assert step.lacks(tmp_path) == ""


@pytest.mark.parametrize("flag", [{}, {"skip_if_credentials_missing": True}])
def test_a_getter_that_needs_the_drive_says_so_with_and_without_the_flag(tmp_path: Path, flag: dict[str, bool]) -> None:
    said = {"settings_file": DRIVE_FILE, "path": ["a.pdf"], "dest": "a.pdf", **flag}
    getter = getters()["googledrive_file"].model_validate(said)
    assert "Google Drive is not set up" in getter.lacks(tmp_path)


@pytest.mark.parametrize(
    "shown",
    [PASSWORD, PASSWORD[::-1], PASSWORD.encode().hex(), PASSWORD.upper(), f'{{"password": "{PASSWORD}"}}'],
)
def test_a_password_that_was_read_is_scrubbed_in_whatever_form_it_comes_back(tmp_path: Path, shown: str) -> None:
    write_account(tmp_path)
    assert shown in scrub(f"it said {shown}.")
    read_account(tmp_path, ACCOUNT_FILE)
    assert shown not in scrub(f"it said {shown}.")
    assert "[secret google_password]" in scrub(f"it said {shown}.")


def test_the_secrets_of_a_consent_are_scrubbed(tmp_path: Path) -> None:
    text = write_drive(tmp_path, NOWHERE).read_text()
    assert drive_lacks(tmp_path, DRIVE_FILE) == ""
    assert "client-secret-of-the-tests" not in scrub(text)
    assert "1//refresh-token" not in scrub(text)


@pytest.mark.parametrize("file", ["/etc/passwd", "../settings.json", "a/../../b", ""])
def test_a_settings_file_outside_of_the_checkout_is_refused(file: str) -> None:
    said = {"settings_file": file, "path": "/home/user/Desktop/passwords.txt"}
    with pytest.raises(ValueError, match="a relative path that stays in the checkout"):
        steps()["google_passwords_file"].model_validate(said)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / ACCOUNT_FILE).mkdir(parents=True)
    with pytest.raises(ConfigError, match="there is no"):
        read_account(tmp_path, ACCOUNT_FILE)
