"""Checks on a mail program's files: what lies in a folder, one message with its attachments, a filter.

How the program keeps them says `mail_files.py`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from email.utils import getaddresses
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from pytest_rogue.errors import GuestFileMissing
from pytest_rogue.evaluators.mail_files import BROKEN, CONDITION, is_deleted, read_actions, read_filters, read_folder
from pytest_rogue.evaluators.protocol import Evaluator, Finding, GuestReader
from pytest_rogue.evaluators.reading import NotTextError, read_text
from pytest_rogue.suite.model import GuestPath

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from email.message import EmailMessage

INCOMING = 0x01
"""Bit of a filter's type: it is applied to mail that comes in."""


class MailFolder(Evaluator):
    """Exactly the messages with these subjects lie in a folder, in any order; equal subjects are counted."""

    name: ClassVar[str] = "mail_folder"

    path: GuestPath
    subjects: tuple[str, ...]

    def look(self, reader: GuestReader) -> Finding:
        """Compare the subjects."""
        expected = f"{len(self.subjects)} messages in {self.path}"
        try:
            found = Counter(_subject(message) for message in _messages(reader, self.path))
        except BROKEN as error:
            return Finding(0.0, expected, f"no readable mail folder: {error}")
        wanted = Counter(self.subjects)
        told = [
            *(f"without {subject!r}" for subject in (wanted - found)),
            *(f"also {subject!r}" for subject in (found - wanted)),
        ]
        return Finding.of(not told, expected=expected, found=", ".join(told) or "these messages")


class MailMessage(Evaluator):
    """One message of a folder, the only one with its subject.

    `to` and `cc` are its addresses, without names, in any order, each once or more. `attachments` are its files by
    name, each with the SHA-256 of its content. Each that is given has to be met exactly.
    """

    name: ClassVar[str] = "mail_message"

    path: GuestPath
    subject: str
    to: tuple[str, ...] | None = None
    cc: tuple[str, ...] | None = None
    attachments: dict[str, str] | None = None

    def look(self, reader: GuestReader) -> Finding:
        """Find the message, then compare what is asked of it."""
        expected = f"one message {self.subject!r}"
        try:
            found = [message for message in _messages(reader, self.path) if _subject(message) == self.subject]
            if len(found) != 1:
                return Finding(0.0, expected, f"{len(found) or 'none'} in {self.path}")
            return self._compare(found[0])
        except BROKEN as error:
            return Finding(0.0, expected, f"no readable message: {error}")

    def _compare(self, message: EmailMessage) -> Finding:
        for field, wanted in (("to", self.to), ("cc", self.cc)):
            there = _addresses(message, field)
            if wanted is not None and there != sorted({address.lower() for address in wanted}):
                return Finding(0.0, f"{field}: {', '.join(wanted) or 'nobody'}", ", ".join(there) or "nobody")
        if self.attachments is not None:
            files = _attachments(message)
            if files != sorted(self.attachments.items()):
                names = ", ".join(name for name, _ in files) or "none"
                changed = " with other content" if [name for name, _ in files] == sorted(self.attachments) else ""
                return Finding(0.0, f"the attachments {', '.join(self.attachments)}", f"{names}{changed}")
        return Finding(1.0, f"one message {self.subject!r} as asked for", "it")


class MailFilter(Evaluator):
    """A filter of Thunderbird, the only one with its name: switched on, for incoming mail, and with just these parts.

    A condition is `field,operator,value` (`subject,contains,Invoice`), an action a name with its value (`Forward`, and
    an address). Both are compared in any order, conditions without regard to case, as Thunderbird matches them.
    """

    name: ClassVar[str] = "mail_filter"

    path: GuestPath
    filter: str
    match: Literal["all", "any"] = "all"
    conditions: tuple[str, ...] = Field(min_length=1)
    actions: tuple[tuple[str, str], ...] = Field(min_length=1)

    def look(self, reader: GuestReader) -> Finding:
        """Read the rules, find the filter, compare its parts."""
        expected = f"one filter {self.filter!r}"
        try:
            rules = read_filters(read_text(reader, self.path))
        except NotTextError as error:
            return Finding(0.0, expected, str(error))
        found = [rule for rule in rules if rule[0] == ("name", self.filter)]
        if len(found) != 1:
            names = ", ".join(repr(rule[0][1]) for rule in rules) or "no filter"
            return Finding(0.0, expected, f"{len(found) or 'none'} of that name; there is {names}")
        told = list(self._differences(found[0]))
        return Finding.of(not told, expected=f"{expected} as asked for", found="; ".join(told) or "it")

    def _differences(self, rule: Sequence[tuple[str, str]]) -> Iterable[str]:
        settings = dict(rule)
        if settings.get("enabled") != "yes":
            yield "it is switched off"
        kind = settings.get("type", "")
        if not kind.isdecimal() or not int(kind[:9]) & INCOMING:
            yield "it is not applied to incoming mail"
        conditions = CONDITION.findall(settings.get("condition", ""))
        if sorted(text.casefold() for _, text in conditions) != sorted(map(str.casefold, self.conditions)):
            yield f"its conditions are {[text for _, text in conditions]}"
        joined = {"all": "AND", "any": "OR"}[self.match]
        if len(conditions) > 1 and any(word != joined for word, _ in conditions):
            yield f"it does not want {self.match} of them"
        actions = read_actions(rule)
        if sorted(actions) != sorted(self.actions):
            yield f"its actions are {actions}"


def _messages(reader: GuestReader, path: str) -> list[EmailMessage]:
    """Return the messages of a folder that were not deleted; a folder that was never written to has none."""
    try:
        data = reader.read_file(path)
    except GuestFileMissing:
        return []
    return [message for message in read_folder(data) if not is_deleted(message)]


def _subject(message: EmailMessage) -> str:
    return str(message.get("Subject", ""))


def _addresses(message: EmailMessage, field: str) -> list[str]:
    found = getaddresses([str(value) for value in message.get_all(field, [])])
    return sorted({address.lower() for _, address in found if address})


def _attachments(message: EmailMessage) -> list[tuple[str, str]]:
    """Return name and SHA-256 of each attached file."""
    parts = [part for part in message.walk() if part.get_content_disposition() == "attachment"]
    return sorted(
        (part.get_filename() or "", hashlib.sha256(part.get_payload(decode=True) or b"").hexdigest())  # type: ignore[arg-type]  # of a leaf
        for part in parts
    )
