"""Getters of files: of the desktop, of the web, of what earlier commands printed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, Field, model_validator

from pytest_rogue.errors import GuestFileMissing, GuestFileUnreadable, InfraError
from pytest_rogue.published.guest_paths import FileName, GuestPath, at_home
from pytest_rogue.published.protocol import Desk, Fetched, Getter

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")


def _url(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise ValueError(f"a file of the web has an address that begins with http:// or https://, found {text!r}")
    return text


Url = Annotated[str, AfterValidator(_url)]


def found_or_none(fetch: Callable[[], Fetched], desk: Desk) -> Fetched | None:
    """Return one of several files; None, with the convention `upstream`, for one that is not there."""
    try:
        return fetch()
    except (GuestFileMissing, GuestFileUnreadable):
        if desk.convention == "ours":
            raise
        return None


class _Files(Getter):
    """One file; or with `multi` several, of which those are brought whose places `gives` lists.

    A missing one is the end of it. Upstream goes on without it, and leaves to the metric what becomes of that.
    """

    dest: FileName | tuple[FileName, ...]
    multi: bool | Literal["true"] = False
    gives: tuple[int, ...] = (0,)

    @property
    def places(self) -> tuple[str, ...]:
        """Where the files are."""
        raise NotImplementedError

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called."""
        return (self.dest,) if isinstance(self.dest, str) else self.dest

    @model_validator(mode="after")
    def _fit_together(self) -> _Files:
        if len(self.places) != len(self.names):
            raise ValueError(f"path has {len(self.places)} entries, dest {len(self.names)}; they have as many")
        if isinstance(self.dest, str) == bool(self.multi):
            raise ValueError("path and dest are lists where multi is true, else a text each")
        if not self.gives or not all(0 <= place < len(self.names) for place in self.gives):
            raise ValueError(f"gives lists places in path, from 0 to {len(self.names) - 1}")
        return self

    def get(self, desk: Desk) -> Fetched | list[Fetched | None]:
        """Bring them."""
        if len(self.gives) == 1:
            return self._fetched(desk, self.gives[0])
        return [found_or_none(partial(self._fetched, desk, place), desk) for place in self.gives]

    def _fetched(self, desk: Desk, place: int) -> Fetched:
        return Fetched(self.names[place], self.bring(desk, self.places[place]))

    def bring(self, desk: Desk, place: str) -> bytes:
        """Return the content of the file at `place`."""
        raise NotImplementedError


class VmFile(_Files):
    """Files of the desktop."""

    type: ClassVar[str] = "vm_file"

    path: GuestPath | tuple[GuestPath, ...]

    @property
    def places(self) -> tuple[str, ...]:
        """Their paths."""
        return _each(self.path)

    def bring(self, desk: Desk, place: str) -> bytes:
        """Read one."""
        return desk.guest.read_file(at_home(place))


class CloudFile(_Files):
    """Files of the web."""

    type: ClassVar[str] = "cloud_file"

    path: Url | tuple[Url, ...]

    @property
    def places(self) -> tuple[str, ...]:
        """Their addresses."""
        return _each(self.path)

    def bring(self, desk: Desk, place: str) -> bytes:
        """Have one fetched."""
        return desk.downloads.fetch(place).read_bytes()

    def urls(self) -> tuple[str, ...]:
        """Return where those that are brought come from."""
        return tuple(self.places[place] for place in self.gives)


class CacheFile(Getter):
    """What an earlier command of this episode printed, under the name that its step gave it."""

    type: ClassVar[str] = "cache_file"

    path: str = Field(min_length=1)

    def get(self, desk: Desk) -> Fetched:
        """Return it.

        Raises:
            GuestFileMissing: the command had something to compare that is not there.
            InfraError: no command was to keep it.
        """
        if self.path not in desk.kept:
            known = ", ".join(sorted(desk.kept)) or "none"
            raise InfraError(f"no command of this task has kept what it printed as {self.path!r}; kept are: {known}")
        printed = desk.kept[self.path]
        if printed is None:
            raise GuestFileMissing(f"{self.path}: a file that was to be compared is missing or cannot be read")
        return Fetched(self.path, printed)


def _each(value: _T | tuple[_T, ...]) -> tuple[_T, ...]:
    return value if isinstance(value, tuple) else (value,)
