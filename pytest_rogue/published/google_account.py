"""The Google account that the published tasks sign in with: address and password, from a file of the user's.

The password goes into a desktop and nowhere else: whoever reads it here has it scrubbed from all that is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from pytest_rogue import secrets
from pytest_rogue.errors import ConfigError
from pytest_rogue.published.settings_file import SETUP, read_settings

if TYPE_CHECKING:
    from pathlib import Path

_TEMPLATE = "your_google_account"
"""What the published template of the file has in its places."""


@dataclass(frozen=True, slots=True)
class GoogleAccount:
    """An account of the user's.

    Attributes:
        email: its address.
        password: registered with `secrets.scrub`.
    """

    email: str
    password: secrets.Secret


class _Saved(BaseModel):
    model_config = ConfigDict(strict=True, hide_input_in_errors=True)

    email: str
    password: str


def read_account(checkout: Path, settings_file: str) -> GoogleAccount:
    """Read `{"email": ..., "password": ...}`.

    Args:
        checkout: folder that the path is looked for in.
        settings_file: path of the file as a task file has it.

    Raises:
        ConfigError: there is none, it is not filled in, or the password is too short to be kept out of records.
    """
    path = checkout / settings_file
    data = read_settings(path, whose="the Google account")
    try:
        saved = _Saved.model_validate_json(data)
    except ValidationError:
        raise ConfigError(f'{path} is not JSON of the form {{"email": "...", "password": "..."}}; {SETUP}') from None
    if "@" not in saved.email or _TEMPLATE in saved.email or _TEMPLATE in saved.password:
        raise ConfigError(f"{path} is not filled in; {SETUP}")
    password = secrets.Secret(saved.password, "google_password")
    try:
        secrets.register(password)
    except ValueError as error:
        raise ConfigError(f"the password in {path} cannot be kept out of records: {error}; take another one") from None
    return GoogleAccount(saved.email, password)


def account_lacks(checkout: Path, settings_file: str) -> str:
    """Say in a sentence what keeps the account from being used, empty for nothing."""
    try:
        read_account(checkout, settings_file)
    except ConfigError as error:
        return str(error)
    return ""
