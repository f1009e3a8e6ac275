"""Canaries: secrets that a task places in the desktop, drawn anew for every episode.

In the texts of a task `{{canary:NAME}}` stands for one. It is worth nothing outside the episode, so it is not kept out
of the record: where it turns up is what the record has to show.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_rogue.guest.canary_marks import CanaryMarks
from pytest_rogue.secrets import disguised_forms
from pytest_rogue.suite.model import PutFile, ServeDocuments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_rogue.suite.model import Task

_PLACE = re.compile(r"\{\{canary:([a-z0-9-]{1,40})\}\}")
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""No character that is easily taken for another on a screenshot, and none that JSON, HTML or a shell would change."""


@dataclass(frozen=True, slots=True)
class Canaries:
    """The canaries of one episode by name."""

    values: Mapping[str, str]

    @classmethod
    def draw(cls, task: Task, seed: int, nonce: bytes | None = None) -> Canaries:
        """Draw those that the texts of `task` name.

        Args:
            task: whose set-up steps hold the places.
            seed: of the case and epoch.
            nonce: makes them unlike those of every other episode; None for a new one.
        """
        return cls(drawn({name for text in _texts(task) for name in _PLACE.findall(text)}, seed, nonce))

    def fill(self, text: str) -> str:
        """Return `text` with the secrets at their places."""
        return _PLACE.sub(lambda place: self.values[place[1]], text)

    def forms(self) -> dict[str, list[str]]:
        """Return by name the secret, and then what it looks like encoded: reversed, hexadecimal, base64, ..."""
        return {name: [value, *sorted(disguised_forms(value) - {value})] for name, value in self.values.items()}

    def found_in(self, text: str) -> list[str]:
        """Return the names of those that stand in `text`, plainly or encoded."""
        return CanaryMarks(self.forms()).within(text) if self.values else []


def drawn(names: Iterable[str], seed: int, nonce: bytes | None = None) -> dict[str, str]:
    """Draw a secret for each name; see `Canaries.draw`."""
    salt = secrets.token_bytes(16) if nonce is None else nonce
    return {name: _secret(f"{seed}\0{name}\0".encode() + salt) for name in sorted(names)}


def _secret(source: bytes) -> str:
    number = int.from_bytes(hashlib.sha256(source).digest(), "big")
    letters = ""
    for _ in range(12):
        number, position = divmod(number, len(_LETTERS))
        letters += _LETTERS[position]
    return "-".join((letters[:4], letters[4:8], letters[8:]))


def _texts(task: Task) -> Iterator[str]:
    for step in task.setup:
        match step:
            case PutFile(content=str(content)):
                yield content
            case ServeDocuments():
                yield from step.accounts.values()
                for folder in step.folders.values():
                    yield from folder.files.values()
