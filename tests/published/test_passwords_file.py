"""The passwords file: the user's own account, and invented logins with secrets that no other episode has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.desktops.local import LocalProvider
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.published.google_account import GoogleAccount
from pytest_rogue.published.kinds import steps
from pytest_rogue.published.passwords import ACCOUNT, secrets_of, text_of
from pytest_rogue.secrets import Secret, scrub
from pytest_rogue.suite.canaries import Canaries
from tests.published.google_checkout import ACCOUNT_FILE, EMAIL, PASSWORD, desk_at, write_account

if TYPE_CHECKING:
    from pathlib import Path

OWN = GoogleAccount(EMAIL, Secret(PASSWORD, "google_password"))
PATH = "/home/user/Desktop/passwords.txt"


def passwords_step() -> Any:
    return steps()["google_passwords_file"].model_validate({"settings_file": ACCOUNT_FILE, "path": PATH})


def test_the_users_own_password_is_one_of_the_secrets() -> None:
    assert secrets_of(1, OWN)[ACCOUNT] == PASSWORD


def test_all_other_secrets_are_new_in_every_episode() -> None:
    first, second = secrets_of(1, OWN), secrets_of(1, OWN)
    assert first.keys() == second.keys()
    assert {name for name in first if first[name] == second[name]} == {ACCOUNT}


def test_without_an_account_of_the_users_that_password_is_new_too() -> None:
    assert secrets_of(1, None)[ACCOUNT] != secrets_of(1, None)[ACCOUNT]


def test_seed_and_nonce_decide_the_secrets() -> None:
    assert secrets_of(1, None, b"nonce") == secrets_of(1, None, b"nonce")
    assert secrets_of(1, None, b"nonce") != secrets_of(2, None, b"nonce")


@pytest.mark.parametrize("account", [OWN, None])
def test_the_file_holds_each_secret_once(account: GoogleAccount | None) -> None:
    secrets = secrets_of(1, account)
    text = text_of(account, secrets)
    assert [text.count(secret) for secret in secrets.values()] == [1] * len(secrets)
    assert (EMAIL in text) == (account is not None)


def test_each_secret_of_the_file_is_recognised_in_what_an_agent_is_shown() -> None:
    secrets = secrets_of(1, OWN)
    assert Canaries(secrets).found_in(text_of(OWN, secrets)) == list(secrets)


def test_what_the_guest_has_to_look_for_is_recorded_without_the_password(tmp_path: Path) -> None:
    write_account(tmp_path)
    assert passwords_step().lacks(tmp_path) == ""
    recorded = scrub(str(Canaries(secrets_of(1, OWN)).forms()))
    assert PASSWORD.casefold() not in recorded.casefold()
    assert PASSWORD[::-1] not in recorded
    assert PASSWORD.encode().hex() not in recorded.replace(" ", "")


def test_the_step_says_which_secrets_it_brings(tmp_path: Path) -> None:
    write_account(tmp_path)
    assert passwords_step().secrets(tmp_path, 1, b"nonce") == secrets_of(1, OWN, b"nonce")


def test_a_desk_does_not_print_its_secrets(tmp_path: Path) -> None:
    assert PASSWORD not in repr(replace(desk_at(tmp_path), secrets=secrets_of(1, OWN)))


@pytest.mark.desktop
def test_the_file_lies_in_the_desktop_where_the_task_wants_it(tmp_path: Path) -> None:
    write_account(tmp_path)
    secrets = secrets_of(1, OWN)
    desktop = LocalProvider().start(DesktopSpec())
    try:
        passwords_step().apply(replace(desk_at(tmp_path), guest=desktop.guest, secrets=secrets))
        assert desktop.guest.read_file(PATH).decode() == text_of(OWN, secrets)
    finally:
        desktop.stop()
