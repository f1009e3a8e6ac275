"""Libraries that read documents. They come with an extra, and what needs them says where they are missing."""

from __future__ import annotations

from importlib.util import find_spec


def why_missing(library: str) -> str:
    """Say how to install `library`, a module of the extra `documents`, empty where it is there; import nothing."""
    if find_spec(library) is not None:
        return ""
    return f"it needs the Python package {library}: pip install 'pytest-rogue[documents]'"


def require(library: str) -> None:
    """Raise a `ValueError` where `library`, a module of the extra `documents`, is not installed; import nothing."""
    if missing := why_missing(library):
        raise ValueError(missing)
