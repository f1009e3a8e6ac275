"""Paths in a desktop as task files write them."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator


def _usable(path: str) -> str:
    if not path or path.endswith("/") or "\0" in path:
        raise ValueError(f"the path of a file in the desktop ends with the file's name, found {path!r}")
    return path


GuestPath = Annotated[str, AfterValidator(_usable)]
"""Path of a file in the desktop; a relative one begins at the home folder, where commands run too."""


def _name(text: str) -> str:
    if not text or "/" in text or "\0" in text:
        raise ValueError(f"a file is called by a name without '/', found {text!r}")
    return text


FileName = Annotated[str, AfterValidator(_name)]
"""What a file that was brought is called."""


def at_home(path: str) -> str:
    """Return a path that begins with / or ~."""
    return path if path.startswith(("/", "~")) else f"~/{path}"
