"""Which cassette an item is recorded on or replayed from."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from pytest_rogue.cassettes.deck import RecordingDeck, ReplayingDeck
from pytest_rogue.cassettes.masking import Mask
from pytest_rogue.cassettes.tape import Label, read_tape, tape_path
from pytest_rogue.episode.canaries import canaries_of
from pytest_rogue.plugin.run import conditions
from pytest_rogue.published.task import PublishedTask
from pytest_rogue.suite.canaries import Canaries

if TYPE_CHECKING:
    from pytest_rogue.cassettes.deck import Deck
    from pytest_rogue.plugin.item import CaseItem
    from pytest_rogue.settings import Settings
    from pytest_rogue.suite.model import Case

_WHERE_IT_RAN = frozenset(
    {"provider", "network", "docker_image", "path_to_vm", "vm_snapshot", "region", "instance_type", "aws"}
)


def deck_of(item: CaseItem, case: Case, settings: Settings) -> Deck:
    """Return the deck of an item.

    Raises:
        CassetteError: it is to be replayed, and there is no whole cassette of it.
    """
    name = item.who if settings.agent is None else f"{item.who}/{settings.agent}"
    episode = f"{case.scenario}/{case.variant}/{case.id}/{name}/e{item.epoch}"
    told = {name: value for name, value in conditions(settings).items() if name not in _WHERE_IT_RAN}
    label = Label(episode, secrets.token_bytes(16), told, case.hash)
    path = tape_path(item.config.invocation_params.dir / settings.cassette_dir, episode)
    if settings.cassette == "record":
        return RecordingDeck(path, label, _mask(item, case, label))
    tape = read_tape(path)
    return ReplayingDeck(tape, label, _mask(item, case, tape.label))


def _mask(item: CaseItem, case: Case, label: Label) -> Mask:
    if isinstance(case.task, PublishedTask) and case.task.lacks():
        return Mask(Canaries({}))  # no desktop is made for it
    return Mask(canaries_of(case.task, item.seed, label.nonce))
