"""Where the data that ships with the package lies: in a wheel, or in the checkout of an editable install."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pytest_rogue.errors import ConfigError

_PACKAGE = Path(__file__).resolve().parent


def path(kind: Literal["scenarios", "judges", "reports"]) -> Path:
    """Return the folder of one kind of data.

    Args:
        kind: `scenarios` (manifests, tasks, assets), `judges`, or `reports` (schemas, templates, baselines).

    Raises:
        ConfigError: the installation does not have it.
    """
    packaged = _PACKAGE / "_data" / kind
    if packaged.is_dir():
        return packaged
    checkout = _PACKAGE.parent
    # Next to an installed package a folder called `reports` would be somebody else's.
    if (checkout / "pyproject.toml").is_file() and (checkout / kind).is_dir():
        return checkout / kind
    raise ConfigError(
        f"The folder {kind!r} that ships with pytest-rogue is in neither {packaged} nor {checkout}; "
        "install the package again."
    )
