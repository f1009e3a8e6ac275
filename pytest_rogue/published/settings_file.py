"""A file with an account of the user's: where a task file says it is, below the checkout, and never elsewhere."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import AfterValidator

from pytest_rogue.errors import ConfigError

_LARGEST = 1_000_000
SETUP = "docs/drive-setup.md says how to set the account up"


def _below_the_checkout(text: str) -> str:
    path = PurePosixPath(text)
    if not text or path.is_absolute() or ".." in path.parts or "\0" in text:
        raise ValueError("a settings file is a relative path that stays in the checkout")
    return text


SettingsFile = Annotated[str, AfterValidator(_below_the_checkout)]
"""A settings file as a task file names it, such as `evaluation_examples/settings/google/settings.json`."""


def read_settings(path: Path, *, whose: str) -> bytes:
    """Return the content of a settings file.

    Args:
        path: of the file.
        whose: what it is about, to begin the message with.

    Raises:
        ConfigError: it is missing, empty, too large, or unreadable.
    """
    try:
        if not path.is_file():
            raise ConfigError(f"{whose} is not set up: there is no {path}; {SETUP}")
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise ConfigError(f"{whose} is not set up: {path} cannot be read ({error.strerror}); {SETUP}") from None
    if not data.strip() or len(data) > _LARGEST:
        raise ConfigError(f"{whose} is not set up: {path} is {'empty' if not data.strip() else 'too large'}; {SETUP}")
    return data
