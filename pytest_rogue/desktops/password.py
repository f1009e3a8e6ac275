"""The password of a desktop's user, which sudo asks for: the one that was given, or what the image is known to have."""

from __future__ import annotations

import os

VARIABLE = "ROGUE_DESKTOP_PASSWORD"
"""Environment variable; what it holds is kept out of everything that is written, as its name ends in PASSWORD."""

PUBLIC = {"aws": "osworld-public-evaluation"}
"""Passwords by provider that the documentation of the public images prints; it prints USUAL for all others."""

USUAL = "password"


def desktop_password(provider: str) -> str:
    """Return the password of the user in the desktops of a provider, `aws` for instance."""
    return os.environ.get(VARIABLE) or PUBLIC.get(provider, USUAL)
