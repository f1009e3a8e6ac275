"""Removes what desktops left behind whose owner is dead. A living owner's things are never touched.

An embedded desktop ends with its owner and leaves nothing; a provider that can leave something has `leftovers`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pytest_rogue.desktops.owner import Owner
from pytest_rogue.errors import InfraError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_rogue.records.leases import LeaseBook


@dataclass(frozen=True, slots=True)
class Leftover:
    """One thing that is left.

    Attributes:
        kind: `container`, `network`, `volume`, or `door` (a folder of this machine).
        id: by which it is removed.
        run: the run it was made for.
        owner: the process it belonged to, `str(Owner)`.
        desktop: the desktop it was part of, empty for none.
        state: in the provider's words.
    """

    kind: str
    id: str
    run: str
    owner: str
    desktop: str
    state: str = ""

    def __str__(self) -> str:
        owner = Owner.parse(self.owner)
        of = f", made by process {owner.pid} on {owner.host}" if owner else ""
        run = f" of run {self.run}" if self.run else ""
        return f"{self.kind} {self.id[:64]}{run}{of}" + (f" ({self.state})" if self.state else "")


class Leftovers(Protocol):
    """Finds and removes what a provider's desktops left."""

    def find(self, run_id: str | None = None) -> Sequence[Leftover]:
        """Return what belongs to dead owners, of one run or of all."""
        ...

    def remove(self, leftover: Leftover) -> None:
        """Remove it; it may be gone already."""
        ...


@runtime_checkable
class LeavesThings(Protocol):
    """A provider whose desktops can leave something."""

    leftovers: Leftovers


def find_leftovers(providers: Iterable[object], run_id: str | None = None) -> list[Leftover]:
    """Return what dead owners left, for `pytest-rogue gc`.

    Args:
        providers: those to ask; one that leaves nothing is passed over.
        run_id: only what was made for this run, None for all.

    Raises:
        InfraError: a provider cannot be asked.
    """
    return [
        left for provider in providers if isinstance(provider, LeavesThings) for left in provider.leftovers.find(run_id)
    ]


def remove_leftovers(
    providers: Iterable[object], run_id: str | None = None, *, dry_run: bool = True
) -> tuple[Leftover, ...]:
    """Remove what dead owners left; return it. With `dry_run` it is only returned.

    Raises:
        InfraError: something could not be removed; the rest was.
    """
    done: list[Leftover] = []
    problems: list[str] = []
    for provider in providers:
        if not isinstance(provider, LeavesThings):
            continue
        for leftover in provider.leftovers.find(run_id):
            try:
                if not dry_run:
                    provider.leftovers.remove(leftover)
                done.append(leftover)
            except InfraError as error:
                problems.append(f"{leftover}: {error}")
    if problems:
        raise InfraError(f"{len(problems)} leftovers could not be removed: {'; '.join(problems)}")
    return tuple(done)


def give_up_dead_leases(book: LeaseBook, provider: object) -> int:
    """Give back the leases of owners that are dead, after what they left is removed; return how many there were.

    Raises:
        InfraError: what they left cannot be removed, so their leases stand.
    """
    dead = {lease.owner for lease in book.taken() if (owner := Owner.parse(lease.owner)) and owner.is_dead()}
    if not dead:
        return 0
    remove_leftovers([provider], dry_run=False)
    return sum(book.give_up(owner) for owner in dead)
