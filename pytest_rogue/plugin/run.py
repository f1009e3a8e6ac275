"""The run as each process of it knows it: where its folder is, and what need not be run again.

The controller decides all of it once; workers receive the same facts, so that every process collects the same items.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.conditions import conditions_of
from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    from pytest_rogue.desktops.pool import PoolSize
    from pytest_rogue.models.gateway_wire import Door
    from pytest_rogue.records.leases import LeaseBook
    from pytest_rogue.records.run_folder import RunFolder
    from pytest_rogue.records.store import RunStore
    from pytest_rogue.settings import Settings
    from pytest_rogue.suite.model import Case


@dataclass(frozen=True, slots=True)
class Run:
    """One run.

    Attributes:
        folder: its folder.
        store: its store.
        finished: keys of the items that are decided and are not run again.
        provider: name of who makes the desktops, never `auto`.
        size: how many desktops all processes may have.
        door: of the gateway that asks models for all processes, None where no model is asked.
    """

    folder: RunFolder
    store: RunStore
    finished: frozenset[str]
    provider: str
    size: PoolSize
    door: Door | None = None

    def leases(self) -> LeaseBook:
        """Return the book in which each process of the run takes a lease before it makes a desktop."""
        from pytest_rogue.records.leases import LeaseBook

        return LeaseBook(self.folder.store, limit=self.size.desktops, spares=self.size.spares)

    def to_wire(self) -> dict[str, Any]:
        """Return builtins only, for a worker."""
        return {
            "folder": str(self.folder.path),
            "finished": sorted(self.finished),
            "provider": self.provider,
            "desktops": self.size.desktops,
            "spares": self.size.spares,
            "door": None if self.door is None else [self.door.address, self.door.token.reveal()],
        }

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Run:
        """Return the run in a worker."""
        from pytest_rogue.desktops.pool import PoolSize
        from pytest_rogue.plugin.gateway import door_from_wire
        from pytest_rogue.records.run_folder import RunFolder
        from pytest_rogue.records.store import RunStore

        folder = RunFolder.open(Path(data["folder"]))
        return cls(
            folder,
            RunStore(folder.store),
            frozenset(data["finished"]),
            data["provider"],
            PoolSize(data["desktops"], data["spares"]),
            door_from_wire(data["door"]),
        )


def same_conditions(store: RunStore, settings: Settings) -> None:
    """Refuse to continue a run under other conditions: its rates would mix them.

    Raises:
        ConfigError: an option that changes what is measured differs; the message names it with both values.
    """
    now = conditions(settings)
    before = store.get_meta("conditions")
    if before is None:
        store.set_meta("conditions", now)
        return
    differing = [name for name in now if before.get(name) != now[name]]
    if differing:
        said = ", ".join(
            f"--rogue-{name.replace('_', '-')} was {before.get(name)} and is {now[name]}" for name in differing
        )
        raise ConfigError(f"this run was made under other conditions: {said}; give the same, or start a new run")


def who(model: str, mode: str) -> str:
    """Return the name of a model in results, with the mode where it is not met at a desktop."""
    return model if mode == "desktop" else f"{model}+{mode}"


def item_key(case: Case, name: str, epoch: int, settings: Settings) -> str:
    """Return the name under which an episode's result is kept, equal in every process and on every machine."""
    relevant = conditions(settings)
    digest = hashlib.sha256(json.dumps([case.hash, relevant], sort_keys=True).encode()).hexdigest()[:12]
    return f"{case.scenario}/{case.variant}/{case.id}/{name}/e{epoch}/{digest}"


def conditions(settings: Settings) -> dict[str, Any]:
    """Return the settings that count, as they come back from JSON."""
    return conditions_of(settings.values())
