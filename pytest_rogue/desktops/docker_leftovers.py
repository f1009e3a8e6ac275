"""What is left on an engine of desktops whose owner is gone: containers, networks, volumes, and doors on this disk."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from pytest_rogue.desktops.docker_door import abandoned_doors
from pytest_rogue.desktops.docker_engine import DESKTOP_LABEL, OWNER_LABEL, RUN_LABEL, Engine
from pytest_rogue.desktops.owner import Owner
from pytest_rogue.desktops.reaper import Leftover

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_KINDS = ("containers", "networks", "volumes")
"""In the order of removal: a network goes when no container uses it."""


class DockerLeftovers:
    """Finds and removes what desktops left on an engine. Every method may raise `EngineFault`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def find(self, run_id: str | None = None) -> Sequence[Leftover]:
        """Return what belongs to owners that are dead, of one run or of all."""
        labels = [OWNER_LABEL] if run_id is None else [OWNER_LABEL, f"{RUN_LABEL}={run_id}"]
        found = [left for left in self._labelled(labels) if (owner := Owner.parse(left.owner)) and owner.is_dead()]
        doors = abandoned_doors() if run_id is None else []
        return [*found, *(Leftover("door", str(folder), "", "", "") for folder in doors)]

    def remove(self, leftover: Leftover) -> None:
        """Remove it; it may be gone already."""
        if leftover.kind == "door":
            shutil.rmtree(leftover.id, ignore_errors=True)
        elif leftover.kind == "container":
            self._engine.remove(leftover.id)
        elif leftover.kind == "network":
            self._engine.remove_network(leftover.id)
        else:
            self._engine.remove_volume(leftover.id)

    def remove_of(self, run_id: str, owner: str) -> int:
        """Remove all that one owner has in a run, dead or alive; return how much it was."""
        found = list(self._labelled([f"{RUN_LABEL}={run_id}", f"{OWNER_LABEL}={owner}"]))
        for leftover in found:
            self.remove(leftover)
        return len(found)

    def _labelled(self, labels: Sequence[str]) -> Iterator[Leftover]:
        for kinds in _KINDS:
            for thing in self._engine.labelled(kinds, labels):
                yield _leftover(kinds.removesuffix("s"), thing)


def _leftover(kind: str, thing: Mapping[str, Any]) -> Leftover:
    labels = thing["Labels"]
    return Leftover(
        kind=kind,
        id=thing.get("Id") or thing["Name"],
        run=labels.get(RUN_LABEL, ""),
        owner=labels[OWNER_LABEL],
        desktop=labels.get(DESKTOP_LABEL, ""),
        state=thing.get("Status") or "",
    )
