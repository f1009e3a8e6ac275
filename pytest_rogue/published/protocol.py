"""What the parts of a published task file are: set-up steps, getters, metrics; and the desk they work on.

Each kind is a pydantic model whose fields are the parameters in the file, so that a wrong file is told at collection,
and one method that does the thing. `kinds.py` finds them by name.
"""

from __future__ import annotations

from abc import abstractmethod
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.evaluators.protocol import Finding

Convention = Literal["ours", "upstream"]
"""`ours`: the known defects of the published evaluators are mended. `upstream`: a number comes out as published."""


class Downloads(Protocol):
    """Files from the web, each fetched once."""

    def fetch(self, url: str) -> Path:
        """Return the file of a URL, whole; it is not to be changed.

        Raises:
            InfraError: it cannot be had; the message names the URL and what to do.
        """
        ...


@dataclass(frozen=True, slots=True)
class Desk:
    """What a step or a getter works with, of one episode.

    Attributes:
        guest: of the desktop.
        checkout: folder that relative paths of a task file are looked for in (it holds `evaluation_examples`).
        downloads: files from the web.
        password: of the desktop's user, for sudo; never printed.
        screen: width and height in pixels.
        convention: of the evaluators.
        kept: what earlier commands of this episode left under a name (`stdout` of an `execute` step), for `cache_file`;
            None for a comparison that lacked a file.
        secrets: what this episode's passwords file holds, by name; fresh ones where the account is none of the user's.
        agent_was_here: True for the steps between the agent's work and the score: a window that is gone by then is the
            agent's own doing.
        held: what is given back when the episode is over (the one Google Drive); whoever makes the desk closes it.
    """

    guest: GuestClient
    checkout: Path
    downloads: Downloads
    password: str = field(default="password", repr=False)
    screen: tuple[int, int] = (1920, 1080)
    convention: Convention = "ours"
    kept: dict[str, bytes | None] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    agent_was_here: bool = False
    held: ExitStack = field(default_factory=ExitStack, repr=False)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file that a getter brought: the name that the task file gives it (`dest`), and its content."""

    name: str
    data: bytes = field(repr=False)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Step(_Part):
    """A set-up step; its fields are its `parameters`."""

    type: ClassVar[str]
    """What a task file calls it."""

    @abstractmethod
    def apply(self, desk: Desk) -> None:
        """Do it, to its end.

        Raises:
            InfraError: it failed; the message says what and why.
        """

    def files(self) -> tuple[str, ...]:
        """Return the paths in the checkout that it needs, so that a missing one is told at collection."""
        return ()

    def lacks(self, checkout: Path) -> str:  # noqa: ARG002 - most lack nothing
        """Say what the user's machine lacks for it (an account), empty for nothing; the case is skipped with that."""
        return ""

    def urls(self) -> tuple[str, ...]:
        """Return what it downloads."""
        return ()

    def secrets(self, checkout: Path, seed: int, nonce: bytes | None) -> Mapping[str, str]:  # noqa: ARG002 - most have none
        """Return by name what it puts into the desktop that the agent is not to see.

        Args:
            checkout: folder with the user's accounts.
            seed: of the case and epoch.
            nonce: makes what is drawn unlike that of every other episode; None for a new one.
        """
        return {}


class Getter(_Part):
    """Where a value comes from: the desktop, the web, or the task file itself; its fields are all keys but `type`."""

    type: ClassVar[str]
    """What a task file calls it."""

    @abstractmethod
    def get(self, desk: Desk) -> object:
        """Return the value: `Fetched` for a file (a list of it for several), else text, number, list or mapping.

        Raises:
            GuestFileMissing: what should be looked at is not there: a score of 0.
            GuestFileUnreadable: it cannot be read: a score of 0.
            InfraError: it could not be told: no score.
        """

    def lacks(self, checkout: Path) -> str:  # noqa: ARG002 - most lack nothing
        """Say what the user's machine lacks for it (an account), empty for nothing; the case is skipped with that."""
        return ""

    def urls(self) -> tuple[str, ...]:
        """Return what it downloads."""
        return ()


class Metric(_Part):
    """How a value is judged; its fields are the task file's `options` for it."""

    func: ClassVar[str]
    """What a task file calls it."""

    rules: ClassVar[type[BaseModel] | None] = None
    """Form of the `rules` that an expected value of type `rule` has to have; None where it takes none."""

    @abstractmethod
    def compare(self, result: object, expected: object, convention: Convention) -> Finding:
        """Judge what a result getter brought.

        Args:
            result: from the result getter.
            expected: from the expected getter: an instance of `rules` where it is a rule, else what the getter brought;
                None where the task file has none.
            convention: whether the published defects of this metric are wanted.

        Raises:
            InfraError: it cannot be told (a file of the web is broken): no score.
        """
