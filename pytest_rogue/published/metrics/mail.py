"""Metrics on Thunderbird's files: the messages of folders, and a filter."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from pytest_rogue.evaluators.mail import INCOMING
from pytest_rogue.evaluators.mail_files import (
    BROKEN,
    CONDITION,
    is_deleted,
    read_actions,
    read_filters,
    read_folder,
    read_message,
)
from pytest_rogue.evaluators.protocol import Finding
from pytest_rogue.published.metrics.comparison import (
    Comparison,
    NothingComparable,
    Rules,
    file_of,
    pairs,
    present,
    read_expected,
    shown,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from email.message import EmailMessage

    from pytest_rogue.published.protocol import Convention, Fetched

_BOOKKEEPING = ("x-mozilla-", "x-account-key", "x-uidl")
"""Headers that the program writes for itself."""

_OF_THE_ENVELOPE = frozenset({"content-type", "content-transfer-encoding"})
"""Headers that say how the parts are written down; the parts themselves are compared."""

_Identity = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str, bytes], ...]]


class CheckThunderbirdFolder(Comparison):
    """Folders, or files of one message each, have the same messages, in any order, whatever was read or marked.

    Messages are the same where their headers and the content of their parts are. Upstream passes over every message, so
    that any two files are the same.
    """

    func: ClassVar[str] = "check_thunderbird_folder"

    remove_deleted: bool = True
    remove_duplicate: bool = True

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:
        """Compare file by file."""
        both = pairs(result, expected)
        for there, gold in both:
            file = present(there, gold)
            if convention == "upstream":
                continue
            wanted, found = read_expected(self._messages, gold), self._messages(file)
            if wanted != found:
                missing, more = (wanted - found).total(), (found - wanted).total()
                return Finding(0.0, f"the messages of {gold.name}", f"{missing} of them missing, {more} others")
        return Finding(1.0, f"the messages of {len(both)} files", "they")

    def _messages(self, file: Fetched) -> Counter[_Identity]:
        try:
            messages = _read(file.data)
            if self.remove_deleted:
                messages = [message for message in messages if not is_deleted(message)]
            found = Counter(_identity(message) for message in messages)
        except (*BROKEN, AttributeError, TypeError) as error:  # the last two: the parser, on broken headers
            raise NothingComparable(f"{file.name}: no readable messages: {error}") from error
        return Counter(found.keys()) if self.remove_duplicate else found


class _Filter(Rules):
    enabled: str | None = None
    action: str | None = None
    action_value: str | None = Field(default=None, alias="actionValue")
    condition: tuple[str, ...] | None = None


class _Filters(Rules):
    expect: tuple[_Filter, ...] = Field(min_length=1)


class CheckThunderbirdFilter(Comparison):
    """Each expected filter is there: with its state, its condition, and its action and no other, for incoming mail.

    Upstream looks only at the last of several actions, and takes a filter that is never applied to incoming mail.
    """

    func: ClassVar[str] = "check_thunderbird_filter"
    rules: ClassVar[type[Rules]] = _Filters

    def judge(self, result: object, expected: object, convention: Convention) -> Finding:
        """Read the filters and look for one that fits, for each that is expected."""
        found = read_filters(text_of(file_of(result)))
        for wanted in _Filters.of(expected).expect:
            if not any(_fits(wanted, rule, convention) for rule in found):
                asked = wanted.model_dump(exclude_none=True, by_alias=True)
                return Finding(0.0, f"a filter with {asked}", shown(found) if found else "no filter")
        return Finding(1.0, "the expected filters", "they")


def _fits(wanted: _Filter, rule: Sequence[tuple[str, str]], convention: Convention) -> bool:
    settings, actions = dict(rule), read_actions(rule)
    if convention == "ours" and (len(actions) > 1 or not _is_for_incoming(settings.get("type", ""))):
        return False
    return all(
        asked is None or asked == there
        for asked, there in (
            (wanted.enabled, settings.get("enabled")),
            (wanted.action, settings.get("action")),
            (wanted.action_value, settings.get("actionValue")),
            (wanted.condition, _conditions(settings.get("condition", ""))),
        )
    )


def _is_for_incoming(kind: str) -> bool:
    return kind.isdecimal() and bool(int(kind[:9]) & INCOMING)


def _conditions(text: str) -> tuple[str, ...]:
    if text.strip() == "ALL":
        return ("ALL",)
    return tuple(f"{word} ({condition})" for word, condition in CONDITION.findall(text))


def _read(data: bytes) -> list[EmailMessage]:
    if not data.strip():
        return []
    return read_folder(data) if data.startswith(b"From ") else [read_message(data)]


def _identity(message: EmailMessage) -> _Identity:
    headers = sorted(
        (name.lower(), " ".join(str(value).split()))
        for name, value in message.raw_items()
        if not name.lower().startswith(_BOOKKEEPING) and name.lower() not in _OF_THE_ENVELOPE
    )
    parts = [
        (part.get_content_type(), part.get_filename() or "", _content(part))
        for part in message.walk()
        if not part.is_multipart()
    ]
    return tuple(headers), tuple(parts)


def _content(part: EmailMessage) -> bytes:
    content = part.get_payload(decode=True)
    data = content if isinstance(content, bytes) else b""
    return data.replace(b"\r\n", b"\n").rstrip() if part.get_content_maintype() == "text" else data
