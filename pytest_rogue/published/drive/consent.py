"""Ask the owner of a Drive for consent, once and by hand: `pytest-rogue drive login`. Nothing else opens a browser."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError
from pytest_rogue.published.drive.account import SCOPE, named_in, read_drive_settings
from pytest_rogue.published.settings_file import SETUP, read_settings

if TYPE_CHECKING:
    from pathlib import Path


def ask_for_consent(checkout: Path, settings_file: str, *, browser: bool, patience: float) -> Path:
    """Have the owner consent in a browser, and save that; return the file.

    Args:
        checkout: folder that relative paths are looked for in.
        settings_file: path of `settings.yml` below it.
        browser: whether to open one here; the address is printed in any event.
        patience: seconds to wait for the owner.

    Raises:
        ConfigError: the file of the client is missing or wrong, or there was no consent.
    """
    settings = read_drive_settings(checkout, settings_file)
    client = named_in(checkout, settings_file, settings.client_config_file)
    target = named_in(checkout, settings_file, settings.save_credentials_file)
    read_settings(client, whose="the client for Google Drive")
    if find_spec("google_auth_oauthlib") is None:
        raise ConfigError("to ask for consent, pip install 'pytest-rogue[drive]'")
    _save(target, _consented(client, browser=browser, patience=patience))
    return target


def _consented(client: Path, *, browser: bool, patience: float) -> Any:
    from google_auth_oauthlib.flow import InstalledAppFlow, WSGITimeoutError
    from oauthlib.oauth2 import OAuth2Error

    try:
        flow = InstalledAppFlow.from_client_secrets_file(str(client), [SCOPE])
    except ValueError as error:
        raise ConfigError(f"{client} is no client for installed applications: {error}; {SETUP}") from None
    try:
        # `consent` is asked for anew, since Google leaves the refresh token out where it was given before.
        consent = flow.run_local_server(
            port=0, open_browser=browser, timeout_seconds=patience, access_type="offline", prompt="consent"
        )
    except WSGITimeoutError:
        raise ConfigError(f"nobody consented within {patience:g} s; call it again") from None
    except OAuth2Error as error:
        raise ConfigError(f"Google gave no consent: {error.description or error.error}; {SETUP}") from None
    if not consent.refresh_token:
        raise ConfigError(
            "Google gave a consent that cannot be renewed; take the access away from the client and retry"
        )
    return consent


def _save(target: Path, consent: Any) -> None:
    """Save a consent in the form of oauth2client, which the published runner reads, too."""
    saved = {
        "_module": "oauth2client.client",
        "_class": "OAuth2Credentials",
        "access_token": consent.token,
        "token_expiry": f"{consent.expiry:%Y-%m-%dT%H:%M:%SZ}" if consent.expiry else None,
        "refresh_token": consent.refresh_token,
        "client_id": consent.client_id,
        "client_secret": consent.client_secret,
        "token_uri": consent.token_uri,
        "scopes": [SCOPE],
        "user_agent": None,
        "invalid": False,
    }
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:  # noqa: PTH123 - readable by its owner only, from the start
        json.dump(saved, file)
    unfinished.replace(target)
