"""Where a file of the benchmark's checkout lies that a task file names."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from pytest_rogue.errors import InfraError

FOLDER = "evaluation_examples"
"""What the paths in task files call the checkout's own folder."""


def relative_path(text: str) -> str:
    """Return a path of a task file as it is.

    Raises:
        ValueError: it is absolute, empty, or leads upwards.
    """
    path = PurePosixPath(text)
    if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in text:
        raise ValueError(f"a file of the checkout is named by a relative path without '..', found {text!r}")
    return text


def checkout_of(folder: Path) -> Path:
    """Return what paths of task files are looked for in, by the folder of a manifest, which may have another name."""
    return folder.parent if folder.name == FOLDER else folder


def places_of(checkout: Path, named: str) -> tuple[Path, ...]:
    """Return where a file that a task file names may lie; see `find_file`."""
    relative = PurePosixPath(named)
    inside = (checkout.joinpath(*relative.parts[1:]),) if relative.parts[:1] == (FOLDER,) else ()
    return (checkout / relative, *inside)


def find_file(checkout: Path, named: str) -> Path:
    """Return the file that a task file names.

    Args:
        checkout: the folder that holds `evaluation_examples`, or that folder itself, whatever it is called.
        named: as in the task file, such as `evaluation_examples/examples/rewire/shutdown.sh`.

    Raises:
        InfraError: it is not there, or a link leads out of the checkout.
    """
    places = places_of(checkout, relative_path(named))
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise InfraError(f"{places[0]}: there is no such file in the checkout of the benchmark; get all of its files")
    if not found.resolve().is_relative_to(checkout.resolve()):
        raise InfraError(f"{found}: this link leads out of the checkout of the benchmark; put the file itself there")
    return found
