"""A mail program's files: a folder in the mbox form, and the rules of its filters as Thunderbird writes them.

A message that was deleted or moved away stays in its file with a mark until the program compacts the folder, so the
mark decides what is there.
"""

from __future__ import annotations

import mailbox
import re
import tempfile
from contextlib import closing
from email.errors import MessageError
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

EXPUNGED = 0x0008
"""Bit of the header `X-Mozilla-Status`: the message was deleted or moved, and waits to be compacted away."""

BROKEN = (MessageError, ValueError, LookupError)
"""What reading a message raises where it is none."""

CONDITION = re.compile(r"(AND|OR) \(([^()]*)\)")
"""One part of a filter's condition: how it is joined, and `field,operator,value`."""

_SETTING = re.compile(r'^(\w+)="(.*)"$')


def read_folder(data: bytes) -> list[EmailMessage]:
    """Return all messages of a folder, those too that were deleted.

    Raises:
        one of BROKEN: it holds no readable messages.
    """
    with tempfile.NamedTemporaryFile(suffix=".mbox") as file:
        file.write(data)
        file.flush()
        with closing(mailbox.mbox(file.name, factory=_parse, create=False)) as folder:  # type: ignore[arg-type]  # any message
            messages: list[Any] = list(folder)
    return messages


def read_message(data: bytes) -> EmailMessage:
    """Return the message of a file that holds nothing else (`.eml`)."""
    return BytesParser(EmailMessage, policy=default).parsebytes(data)


def is_deleted(message: EmailMessage) -> bool:
    """Return whether a message only waits to be compacted away."""
    return bool(int(str(message.get("X-Mozilla-Status", "0")), 16) & EXPUNGED)


def read_filters(text: str) -> list[list[tuple[str, str]]]:
    """Return the settings of each filter in order; `name` comes first in each."""
    rules: list[list[tuple[str, str]]] = []
    for line in text.splitlines():
        setting = _SETTING.match(line)
        if setting is None:
            continue
        if setting[1] == "name":
            rules.append([])
        if rules:
            rules[-1].append((setting[1], setting[2].replace('\\"', '"')))
    return rules


def read_actions(rule: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return each action with its value, which is the setting after it or empty."""
    actions: list[tuple[str, str]] = []
    for key, value in rule:
        if key == "action":
            actions.append((value, ""))
        elif key == "actionValue" and actions:
            actions[-1] = (actions[-1][0], value)
    return actions


def _parse(file: IO[bytes]) -> EmailMessage:
    return BytesParser(EmailMessage, policy=default).parse(file)
