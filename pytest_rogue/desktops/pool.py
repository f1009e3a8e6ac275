"""The next desktop starts while an episode runs, so that nobody waits for it. A used one is replaced, never cleaned up.

A pool serves one process. How many desktops there are over all processes of a run is decided in the run's lease book:
a lease is taken before a desktop is made and given back when it is gone.
"""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pytest_rogue.desktops.owner import Owner
from pytest_rogue.desktops.reaper import give_up_dead_leases
from pytest_rogue.desktops.start import is_well
from pytest_rogue.desktops.startup import Startup
from pytest_rogue.errors import DesktopStartError, InfraError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from pytest_rogue.desktops.protocol import Desktop, DesktopSpec, Provider
    from pytest_rogue.records.leases import LeaseBook, Use
    from pytest_rogue.records.rents import Rent

TYPICAL_MEMORY = 1024 * 1024 * 1024
"""Bytes a desktop with a browser and an office suite really uses; an idle one uses a tenth of it."""

_POLL = 0.05
_LOOK_FOR_DEAD = 2.0
_COMING = 120.0
"""Seconds that an ending pool waits for desktops that are just starting; later ones are removed as they come."""
_CLOSED = "the pool of desktops is closed"


@dataclass(frozen=True, slots=True)
class PoolSize:
    """How many desktops a run may have, over all its workers.

    Attributes:
        desktops: at once, those that are being started or removed included.
        spares: how many of them may be spares.
    """

    desktops: int
    spares: int

    @classmethod
    def of(cls, workers: int, memory: int, max_desktops: int | None = None) -> Self:
        """Return the size for a run: one desktop for each worker always, a spare for each where there is room.

        Args:
            workers: processes that run episodes.
            memory: bytes of the machine that are free.
            max_desktops: what the user allows, None for what the memory allows.
        """
        allowed = max_desktops if max_desktops is not None else max(workers, memory // TYPICAL_MEMORY)
        desktops = max(1, min(allowed, 3 * workers))  # one in use, one spare, one being removed
        return cls(desktops, spares=max(0, min(workers, desktops - workers)))


class Pool:
    """The desktops of one process; a context manager.

    Args:
        provider: makes them.
        book: the run's leases, with the bounds for all its processes.
        owner: whom the leases belong to, None for this process.
        patience: seconds to wait until another process of the run gives a desktop back.

    Example:
        >>> with Pool(provider, book) as pool:
        ...     desktop = pool.acquire(DesktopSpec())
        ...     ...
        ...     pool.release(desktop)
    """

    def __init__(
        self, provider: Provider, book: LeaseBook, *, owner: Owner | None = None, patience: float = 600.0
    ) -> None:
        self._provider = provider
        self._book = book
        self._owner = str(owner or Owner.this_process())
        self._patience = patience
        self._lock = threading.Lock()
        self._nobody_comes = threading.Condition(self._lock)
        self._coming = 0
        self._held: set[str] = set()
        self._in_use: dict[str, tuple[Desktop, str]] = {}
        self._spare: Startup | None = None
        self._removals: set[threading.Thread] = set()
        self._problems: list[str] = []
        self._closed = False

    # --- for an episode --------------------

    def acquire(self, spec: DesktopSpec) -> Desktop:
        """Return a fresh desktop, proven ready, and begin to start the next one like it.

        Raises:
            DesktopStartError: none came up, or none was given back in time.
        """
        with self._lock:
            if self._closed:
                raise DesktopStartError(_CLOSED)
            spare, self._spare = self._spare, None
            self._coming += 1
        try:
            desktop = self._warm(spare, spec) or self._cold(spec)
        finally:
            with self._lock:
                self._coming -= 1
                self._nobody_comes.notify_all()
        self.prepare(spec)
        return desktop

    def prepare(self, spec: DesktopSpec) -> None:
        """Begin to start a spare, if there is none and one more is allowed; returns at once."""
        with self._lock:
            if self._spare is not None or self._closed:
                return
            lease = self._take("spare")
            if lease is not None:
                self._spare = Startup(self._provider, spec, lease)

    def release(self, desktop: Desktop) -> None:
        """Remove a desktop in the background; its lease is given back when it is gone. May be called again."""
        with self._lock:
            _, lease = self._in_use.pop(desktop.id, (desktop, None))
        if lease is not None:
            self._in_background(lambda: self._remove(desktop, lease))

    # --- how one comes about --------------------

    def _warm(self, spare: Startup | None, spec: DesktopSpec) -> Desktop | None:
        """Return the spare's desktop if it is what is wanted and still well, else get rid of it."""
        if spare is None:
            return None
        if spare.spec != spec:
            self._discard(spare)
            return None
        try:
            desktop = self._when_started(spare)
        except DesktopStartError:
            return None  # a cold start tells whether it is worth an error
        if not is_well(desktop):
            self._in_background(lambda: self._remove(desktop, spare.lease))
            return None
        self._book.use_for_episode(spare.lease)
        return self._taken(desktop, spare.lease)

    def _cold(self, spec: DesktopSpec) -> Desktop:
        lease = self._wait_for_lease()
        return self._taken(self._when_started(Startup(self._provider, spec, lease)), lease)

    def _when_started(self, startup: Startup) -> Desktop:
        try:
            return startup.desktop()
        except Exception:
            self._give_back(startup.lease)
            raise
        except BaseException:  # Ctrl-C: nobody waits for it any more
            self._discard(startup)
            raise

    def _taken(self, desktop: Desktop, lease: str) -> Desktop:
        with self._lock:
            if not self._closed:
                self._in_use[desktop.id] = (desktop, lease)
                return desktop
        self._remove(desktop, lease)
        raise DesktopStartError(_CLOSED)

    def _wait_for_lease(self) -> str:
        deadline = time.monotonic() + self._patience
        look_for_dead = 0.0
        while (lease := self._take("episode")) is None:
            if self._closed:
                raise DesktopStartError(_CLOSED)
            now = time.monotonic()
            if now > deadline:
                raise DesktopStartError(
                    f"all {self._book.limit} desktops that this run may have were taken for {self._patience:g} s: "
                    "allow more with --rogue-max-desktops, or use fewer workers (-n)"
                )
            if now >= look_for_dead:
                give_up_dead_leases(self._book, self._provider)
                look_for_dead = now + _LOOK_FOR_DEAD
            time.sleep(_POLL)
        return lease

    def _take(self, use: Use) -> str | None:
        lease = secrets.token_hex(8)
        self._held.add(lease)  # first: whatever interrupts us here, `close` knows it
        if self._book.take(lease, self._owner, self._provider.name, use, self._rent):
            return lease
        self._held.discard(lease)
        return None

    @cached_property
    def _rent(self) -> Rent | None:
        """What a desktop costs, None where its provider has no `rent`."""
        return getattr(self._provider, "rent", None)

    def _give_back(self, lease: str) -> None:
        self._book.give_back(lease)
        self._held.discard(lease)

    # --- how one goes --------------------

    def _discard(self, spare: Startup) -> None:
        self._in_background(lambda: self._remove_spare(spare))

    def _remove_spare(self, spare: Startup) -> None:
        try:
            desktop = spare.desktop()
        except Exception:  # noqa: BLE001 - there is nothing to remove, and nobody wanted it
            self._give_back(spare.lease)
        else:
            self._remove(desktop, spare.lease)

    def _remove(self, desktop: Desktop, lease: str) -> None:
        try:
            desktop.stop()
        except BaseException:
            self._held.discard(lease)  # the desktop is still there, and so its lease stays
            raise
        self._give_back(lease)

    def _in_background(self, work: Callable[[], None]) -> None:
        def run() -> None:
            try:
                work()
            except Exception as error:  # noqa: BLE001 - `close` tells of it
                with self._lock:
                    self._problems.append(str(error))

        thread = threading.Thread(target=run, name="pytest-rogue-removal", daemon=True)
        with self._lock:
            self._removals = {removal for removal in self._removals if removal.is_alive()} | {thread}
            thread.start()

    # --- the end --------------------

    def close(self) -> None:
        """Remove every desktop of this pool, also those in use or just starting, and wait until they are gone.

        It may be called again.

        Raises:
            InfraError: a desktop could not be removed.
        """
        with self._lock:
            self._closed = True
            spare, self._spare = self._spare, None
            in_use = [desktop for desktop, _ in self._in_use.values()]
        if spare is not None:
            self._discard(spare)
        for desktop in in_use:
            self.release(desktop)
        with self._lock:
            self._nobody_comes.wait_for(lambda: self._coming == 0, _COMING)
            removals = tuple(self._removals)
        for thread in removals:
            thread.join()
        for lease in tuple(self._held):
            self._give_back(lease)
        if self._problems:
            problems, self._problems = self._problems, []
            raise InfraError(f"{len(problems)} desktops were not removed, see pytest-rogue gc: {'; '.join(problems)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def free_memory() -> int:
    """Return the bytes of this machine that programs can still get, 0 where it does not tell (only Linux does)."""
    facts = Path("/proc/meminfo")
    for line in facts.read_text(encoding="ascii").splitlines() if facts.exists() else ():
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            return int(rest.split()[0]) * 1024
    return 0
