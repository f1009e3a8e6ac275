"""Libraries that read documents. They come with an extra, so a check tells at once where they are missing."""

from __future__ import annotations

from importlib.util import find_spec


def require(library: str) -> None:
    """Raise a `ValueError` where `library`, a module of the extra `documents`, is not installed; import nothing."""
    if find_spec(library) is None:
        raise ValueError(f"it needs the Python package {library}: pip install 'pytest-rogue[documents]'")
