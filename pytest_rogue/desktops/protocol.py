"""What a provider and a desktop are. Users may bring their own.

A provider knows how to make desktops of one kind; a desktop is one running machine with a screen and our guest in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.readiness import Readiness


@dataclass(frozen=True, slots=True)
class DesktopSpec:
    """What a desktop should be like.

    Attributes:
        width: of the screen, in pixels.
        height: of the screen, in pixels.
        memory_mb: what all programs of the desktop may use, in MiB, as far as the provider can enforce it.
        timeout: seconds the desktop may take to be ready.
    """

    width: int = 1920
    height: int = 1080
    memory_mb: int = 4096
    timeout: float = 30.0


@runtime_checkable
class Desktop(Protocol):
    """One running desktop. `stop` may be called more than once and leaves nothing behind.

    One whose machine can be taken away by who provides it has a method `taken_away`, too: True where they say so.
    """

    id: str
    guest: GuestClient

    def alive(self) -> bool:
        """True while the machine runs."""
        ...

    def stop(self) -> None:
        """End it at once."""
        ...


SUDO = "sudo"
"""The application of a task in which something is done with root's rights."""


@runtime_checkable
class Provider(Protocol):
    """Makes desktops of one kind.

    One whose desktops cost money has a `rent` (a `Rent` of `records/rents.py`), too, and it counts against the budget.
    """

    name: str

    def readiness(self) -> Sequence[Readiness]:
        """Return what it needs on this machine, each tested by doing, for `pytest-rogue doctor`."""
        ...

    def missing(self, apps: Sequence[str]) -> Sequence[str]:
        """Return those of the applications (command names) that its desktops do not have.

        `SUDO` is among them where commands cannot have root's rights, also where a program of that name is there.
        """
        ...

    def start(self, spec: DesktopSpec) -> Desktop:
        """Start a fresh desktop and return it when it is proven ready.

        Raises:
            DesktopStartError: it did not come up in `spec.timeout` seconds; nothing is left behind.
            DesktopsUnavailable: nor would any later one.
        """
        ...
