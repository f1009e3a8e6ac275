"""Put a file with logins onto the desktop."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pytest_rogue.published.google_account import account_lacks, read_account
from pytest_rogue.published.passwords import secrets_of, text_of
from pytest_rogue.published.protocol import Desk, Step
from pytest_rogue.published.settings_file import SettingsFile
from pytest_rogue.suite.model import GuestPath

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class GooglePasswordsFile(Step):
    """Write the user's Google account and invented logins into a file; the secrets are those of the desk.

    Attributes:
        settings_file: with the account.
        path: where the file is to lie in the desktop.
    """

    type: ClassVar[str] = "google_passwords_file"

    settings_file: SettingsFile
    path: GuestPath

    def apply(self, desk: Desk) -> None:
        """Write the file."""
        account = read_account(desk.checkout, self.settings_file)
        desk.guest.write_file(self.path, text_of(account, desk.secrets).encode())

    def lacks(self, checkout: Path) -> str:
        """Say that there is no account."""
        return account_lacks(checkout, self.settings_file)

    def secrets(self, checkout: Path, seed: int, nonce: bytes | None) -> Mapping[str, str]:
        """Return the user's own password and those that are drawn."""
        return secrets_of(seed, read_account(checkout, self.settings_file), nonce)
