"""Whose Drive it is: the settings file and the saved token, as PyDrive and Google's own libraries write them.

Nothing here asks anybody for consent: what is missing is said in a sentence, before a desktop is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pytest_rogue import secrets
from pytest_rogue.errors import ConfigError
from pytest_rogue.published.settings_file import SETUP, read_settings

SCOPE = "https://www.googleapis.com/auth/drive"
API = "https://www.googleapis.com"
_WHOSE = "Google Drive"


@dataclass(frozen=True, slots=True)
class DriveAccount:
    """A saved consent to use a Drive.

    Attributes:
        path: of the file that it is saved in.
        client_id: of the application that was given the consent.
        client_secret: of that application.
        refresh_token: what access tokens are had for.
        token_uri: where they are had.
        api: where the Drive is asked.
    """

    path: Path
    client_id: str
    client_secret: secrets.Secret
    refresh_token: secrets.Secret
    token_uri: str
    api: str


class DriveSettings(BaseModel):
    """What of PyDrive's `settings.yml` is needed here; `drive_api` is our own, for a Drive behind another address."""

    model_config = ConfigDict(frozen=True)

    save_credentials_file: str = Field(min_length=1)
    client_config_file: str = "client_secrets.json"
    drive_api: str = API


class _Saved(BaseModel):
    """Both forms of a saved consent: oauth2client's, which PyDrive writes, and google-auth's."""

    model_config = ConfigDict(hide_input_in_errors=True)

    client_id: str = Field(min_length=1)
    client_secret: str
    refresh_token: str
    token_uri: str = "https://oauth2.googleapis.com/token"  # noqa: S105 - an address


def read_account(checkout: Path, settings_file: str) -> DriveAccount:
    """Read the saved consent.

    Args:
        checkout: folder that relative paths are looked for in.
        settings_file: path of `settings.yml` as a task file has it.

    Raises:
        ConfigError: something is missing or wrong; the message names the file.
    """
    settings = read_drive_settings(checkout, settings_file)
    path = named_in(checkout, settings_file, settings.save_credentials_file)
    data = read_settings(path, whose=_WHOSE)
    try:
        saved = _Saved.model_validate_json(data)
    except ValidationError as error:
        wrong = ", ".join(str(part) for fault in error.errors() for part in fault["loc"]) or "it is not JSON"
        raise ConfigError(f"{path} holds no consent that can be renewed by itself ({wrong}); {SETUP}") from None
    client_secret = secrets.Secret(saved.client_secret, "drive_client_secret")
    refresh_token = secrets.Secret(saved.refresh_token, "drive_refresh_token")
    for secret in (client_secret, refresh_token):
        try:
            secrets.register(secret)
        except ValueError as error:
            raise ConfigError(f"what {path} holds is no consent: {error}; {SETUP}") from None
    return DriveAccount(path, saved.client_id, client_secret, refresh_token, saved.token_uri, settings.drive_api)


def account_lacks(checkout: Path, settings_file: str) -> str:
    """Say in a sentence what keeps the Drive from being used, empty for nothing. Nothing is asked of it."""
    try:
        read_account(checkout, settings_file)
    except ConfigError as error:
        return str(error)
    return ""


def read_drive_settings(checkout: Path, settings_file: str) -> DriveSettings:
    """Read `settings.yml`.

    Raises:
        ConfigError: it is missing or wrong, or what reads it is not installed.
    """
    path = checkout / settings_file
    data = read_settings(path, whose=_WHOSE)
    if find_spec("yaml") is None:
        raise ConfigError(f"{path} cannot be read: pip install 'pytest-rogue[drive]'")
    import yaml

    try:
        return DriveSettings.model_validate(yaml.safe_load(data))
    except (yaml.YAMLError, ValidationError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not a settings file of PyDrive: {_first_line(error)}; {SETUP}") from None


def named_in(checkout: Path, settings_file: str, name: str) -> Path:
    """Return the path that `settings.yml` means: a mere name lies beside it, a longer path below the checkout."""
    given = Path(name).expanduser()
    return checkout / (Path(settings_file).parent / given if given.name == name else given)


def _first_line(error: Any) -> str:
    if isinstance(error, ValidationError):
        fault = error.errors()[0]
        return f"{'.'.join(map(str, fault['loc'])) or 'it'}: {fault['msg']}"
    return str(error).splitlines()[0]
