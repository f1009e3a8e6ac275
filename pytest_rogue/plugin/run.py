"""The run as each process of it knows it: where its folder is, and what need not be run again.

The controller decides all of it once; workers receive the same facts, so that every process collects the same items.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    from pytest_rogue.records.run_folder import RunFolder
    from pytest_rogue.records.store import RunStore
    from pytest_rogue.settings import Settings
    from pytest_rogue.suite.model import Case

SETTINGS_OF_AN_EPISODE = (
    "agent",
    "provider",
    "max_steps",
    "history",
    "observation",
    "action_space",
    "seed",
    "wall_timeout",
)
"""Options that change what an episode measures; with other values it is another episode."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run.

    Attributes:
        folder: its folder.
        store: its store.
        finished: keys of the items that are decided and are not run again.
    """

    folder: RunFolder
    store: RunStore
    finished: frozenset[str] = frozenset()

    def to_wire(self) -> dict[str, Any]:
        """Return builtins only, for a worker."""
        return {"folder": str(self.folder.path), "finished": sorted(self.finished)}

    @classmethod
    def from_wire(cls, data: dict[str, Any]) -> Run:
        """Return the run in a worker."""
        from pytest_rogue.records.run_folder import RunFolder
        from pytest_rogue.records.store import RunStore

        folder = RunFolder.open(Path(data["folder"]))
        return cls(folder, RunStore(folder.store), frozenset(data["finished"]))


def same_conditions(store: RunStore, settings: Settings) -> None:
    """Refuse to continue a run under other conditions: its rates would mix them.

    Raises:
        ConfigError: an option that changes what is measured differs; the message names it with both values.
    """
    now = {name: getattr(settings, name) for name in SETTINGS_OF_AN_EPISODE}
    before = store.get_meta("conditions")
    if before is None:
        store.set_meta("conditions", now)
        return
    differing = [name for name in SETTINGS_OF_AN_EPISODE if before.get(name) != now[name]]
    if differing:
        said = ", ".join(
            f"--rogue-{name.replace('_', '-')} was {before.get(name)} and is {now[name]}" for name in differing
        )
        raise ConfigError(f"this run was made under other conditions: {said}; give the same, or start a new run")


def item_key(case: Case, model: str, epoch: int, settings: Settings) -> str:
    """Return the name under which an episode's result is kept, equal in every process and on every machine."""
    relevant = {name: getattr(settings, name) for name in SETTINGS_OF_AN_EPISODE}
    digest = hashlib.sha256(json.dumps([case.hash, relevant], sort_keys=True).encode()).hexdigest()[:12]
    return f"{case.scenario}/{case.variant}/{case.id}/{model}/e{epoch}/{digest}"
