"""A checkout with the settings of a Google account, and the Drive that it leads to; see `drive_server.py`."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from pytest_rogue.published.protocol import Desk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_rogue.published.protocol import Convention

ACCOUNT_FILE = "evaluation_examples/settings/google/settings.json"
DRIVE_FILE = "evaluation_examples/settings/googledrive/settings.yml"
CONSENT_FILE = "evaluation_examples/settings/googledrive/credentials.json"
CLIENT_FILE = "evaluation_examples/settings/googledrive/client_secrets.json"
EMAIL = "rogue.tests@example.org"
PASSWORD = "Wharf-Ochre_7531"
REPOSITORY = Path(__file__).parents[2]
FOLDER = "application/vnd.google-apps.folder"


@dataclass(frozen=True, slots=True)
class DriveServer:
    """The stand-in."""

    url: str

    def tell(self, **said: Any) -> list[str]:
        """Add files, or say what is to be answered; return the ids of the files."""
        answer = httpx.post(f"{self.url}/stand-in", json=said, trust_env=False, timeout=60)
        added: list[str] = answer.raise_for_status().json()["added"]
        return added

    def files(self) -> list[dict[str, Any]]:
        """Return all files."""
        files: list[dict[str, Any]] = self._state()["files"]
        return files

    def names(self) -> list[str]:
        """Return the names of all files."""
        return sorted(file["name"] for file in self.files())

    def asked(self) -> list[str]:
        """Return method and path of all requests to the Drive so far."""
        requests: list[str] = self._state()["requests"]
        return requests

    def _state(self) -> Any:
        return httpx.get(f"{self.url}/stand-in", trust_env=False, timeout=60).raise_for_status().json()


@contextmanager
def running_drive() -> Iterator[DriveServer]:
    """Start the stand-in in a process of its own."""
    command = [sys.executable, "-m", "tests.published.drive_server"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY) as process:
        assert process.stdout is not None
        try:
            yield DriveServer(f"http://127.0.0.1:{int(process.stdout.readline())}")
        finally:
            process.kill()


def write_account(checkout: Path, **fields: str) -> Path:
    """Write the file with address and password."""
    return _write(checkout / ACCOUNT_FILE, json.dumps({"email": EMAIL, "password": PASSWORD} | fields))


def write_drive(checkout: Path, url: str, **consent: Any) -> Path:
    """Write the settings of the Drive, and the consent; return the file of that."""
    settings = {"client_config_file": CLIENT_FILE, "save_credentials_file": CONSENT_FILE, "drive_api": url}
    _write(checkout / DRIVE_FILE, "".join(f"{key}: {value}\n" for key, value in settings.items()))
    saved = {
        "client_id": "client.apps.example.org",
        "client_secret": "client-secret-of-the-tests",
        "refresh_token": "1//refresh-token-of-the-stand-in",
        "token_uri": f"{url}/token",
        "_module": "oauth2client.client",
    }
    return _write(checkout / CONSENT_FILE, json.dumps(saved | consent))


def write_client(checkout: Path, url: str, kind: str = "installed") -> Path:
    """Write the file of the client that asks for consent."""
    client = {
        "client_id": "client.apps.example.org",
        "client_secret": "client-secret-of-the-tests",
        "auth_uri": f"{url}/consent",
        "token_uri": f"{url}/token",
    }
    return _write(checkout / CLIENT_FILE, json.dumps({kind: client}))


@dataclass(frozen=True, slots=True)
class Web:
    """What a task downloads: one file by URL."""

    files: Mapping[str, Path]

    def fetch(self, url: str) -> Path:
        """Return the file of a URL."""
        return self.files[url]


class NoGuest:
    """The Drive has nothing to do with the desktop: to touch it is a mistake."""


def desk_at(checkout: Path, files: Mapping[str, Path] | None = None, convention: Convention = "ours") -> Desk:
    """Return a desk without a desktop."""
    return Desk(guest=NoGuest(), checkout=checkout, downloads=Web(files or {}), convention=convention)  # type: ignore[arg-type]


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path
