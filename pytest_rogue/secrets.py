"""Secrets of the environment, and those that a file holds: how they are kept out of everything that is written.

Records, reports, logs and failure messages pass through `scrub` before they leave the process. Text that comes from a
desktop or a model also passes through `printable` where a terminal or an XML file will show it.
"""

from __future__ import annotations

import base64
import html
import json
import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import quote, quote_plus, unquote

from pytest_rogue.environment import environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SHORTEST = 6
"""A shorter value is not taken for a secret: it would be found in ordinary words."""

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS)$|^AWS_", re.IGNORECASE)
_PUBLIC_NAME = re.compile(
    r"^AWS_(.*REGION|.*PROFILE|.*OUTPUT|PAGER|.*FILE|.*DISABLED|ENDPOINT_URL.*|.*_MODE|.*_PATH|.*ATTEMPTS)$"
)
"""Settings that say where and how, not who; scrubbing `default` or a region's name would spoil ordinary text."""

_USER_INFO = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://([^/@\s:]*):([^/@\s]+)@")

_SHAPES = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?P<api_key>sk-[A-Za-z0-9_*-]{12,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|hf_[A-Za-z0-9]{20,}"
    r"|AIza[A-Za-z0-9_-]{30,})"
    r"|(?P<aws_key_id>A(?:KIA|SIA)[A-Z0-9]{16})"
    r"|(?P<github_token>gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"
    r"|(?P<authorization>(?<=[Bb]earer )[A-Za-z0-9._~+/-]{16,}={0,2}|(?<=[Bb]asic )[A-Za-z0-9+/]{16,}={0,2})"
    r")"
)

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)  # what XML 1.0 forbids, what a terminal obeys, and what turns the direction of the text around


class Secret:
    """A value that is not a string and does not print; `reveal` is the only way to it.

    Args:
        value: the secret.
        name: what it is called where it is replaced, the environment variable's name for instance.
    """

    __slots__ = ("_value", "name")

    def __init__(self, value: str, name: str = "") -> None:
        self._value = value
        self.name = re.sub(r"[^A-Za-z0-9_.-]+", "_", name) or "value"

    def reveal(self) -> str:
        """Return the value itself, for the one place that must send it."""
        return self._value

    def __repr__(self) -> str:
        return f"[secret {self.name}]"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self!r} is not to be pickled: a secret stays in its process")


_withdrawn: dict[str, str] = {}
_registered: dict[str, str] = {}


def withdraw(names: Iterable[str]) -> None:
    """Take variables out of the environment, so that no process that is started from now on has them.

    `scrub` knows them still.
    """
    for name in names:
        if name in os.environ:
            _withdrawn[name] = os.environ.pop(name)


def put_back() -> None:
    """Put what was withdrawn back into the environment."""
    os.environ.update(_withdrawn)
    _withdrawn.clear()


def register(secret: Secret) -> None:
    """Let `scrub` replace a secret that stands in no variable of the environment, such as the password in a file.

    It is found in more forms than others, since it may have gone into a desktop, and an agent may have changed it.

    Raises:
        ValueError: it has less than six characters, or is a word of its own name, and so would be found everywhere.
    """
    value = secret.reveal()
    if len(value) < SHORTEST or value in repr(secret):
        raise ValueError(f"{secret!r} has less than {SHORTEST} characters, or is an ordinary word")
    _registered[value] = secret.name


def _environment() -> tuple[tuple[str, str], ...]:
    return (*environment().items(), *_withdrawn.items())


def known_secrets() -> tuple[Secret, ...]:
    """Return the secrets of the environment, each with the name of its variable.

    A variable is taken for a secret by the end of its name (key, token, secret, password, credentials; all of `AWS_*`
    but plain settings), and the password in a URL (`http://user:password@proxy`) whatever its variable is called.
    Values of less than six characters are left out.
    """
    return _secrets_in(_environment())


def scrub(text: str) -> str:
    """Replace every known secret in `text` by `[secret NAME]`.

    Found are the plain value and its URL, JSON, Python, XML and base64 forms (base64 also inside a longer value, as in
    a `Basic` header), and anything shaped like the key of a well-known provider. Takes time linear in the text.
    """
    for form, label in _replacements(_environment(), tuple(_registered.items())):
        if form in text:
            text = text.replace(form, label)
    return _SHAPES.sub(_shape_label, text)


def scrub_data(data: Any) -> Any:
    """Return `data` (dicts, lists, tuples, sets, strings, other values as they are) with all strings scrubbed."""
    if isinstance(data, str):
        return scrub(data)
    if isinstance(data, dict):
        return {scrub_data(key): scrub_data(value) for key, value in data.items()}
    if isinstance(data, list | tuple | set | frozenset):
        return type(data)(scrub_data(value) for value in data)
    return data


def printable(text: str) -> str:
    r"""Return `text` fit for a terminal and for XML.

    Terminal control sequences are removed; other control characters, lone surrogates and direction overrides become
    visible escapes (`\x00`). Tabs and line ends stay.
    """
    text = _ANSI.sub("", text.replace("\r\n", "\n"))
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)


def _shape_label(found: re.Match[str]) -> str:
    kind = str(found.lastgroup)
    if kind == "authorization" and not any(character.isdigit() for character in found[0]):
        return found[0]  # words such as "Basic troubleshooting-guide"
    return f"[secret {kind}]"


@lru_cache(maxsize=2)
def _secrets_in(environment: tuple[tuple[str, str], ...]) -> tuple[Secret, ...]:
    return tuple(secret for name, value in environment for secret in _secrets_of(name, value))


def _secrets_of(name: str, value: str) -> Iterator[Secret]:
    candidates = [part for user, password in _USER_INFO.findall(value) for part in (f"{user}:{password}", password)]
    if _SECRET_NAME.search(name) and not _PUBLIC_NAME.match(name):
        candidates.append(value)
    for candidate in candidates:
        for form in dict.fromkeys((candidate, candidate.strip(), unquote(candidate))):
            if len(form) >= SHORTEST:
                yield Secret(form, name)


@lru_cache(maxsize=2)
def _replacements(
    environment: tuple[tuple[str, str], ...], registered: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, str], ...]:
    """Return the forms to look for and what to put there, the longest first, since one may be part of another."""
    in_files = [Secret(value, name) for value, name in registered]
    secrets = [*_secrets_in(environment), *in_files]
    labels = [repr(secret) for secret in secrets]
    forms = {form: repr(secret) for secret in secrets for form in encoded_forms(secret.reveal())}
    forms |= {
        form: repr(secret) for secret in in_files for form in disguised_forms(secret.reveal()) if len(form) >= SHORTEST
    }
    # A value that is part of a label ("secret") is a word, not a secret; replacing it would garble every label.
    hidden = [item for item in forms.items() if not any(item[0] in label for label in labels)]
    return tuple(sorted(hidden, key=lambda item: (-len(item[0]), item)))


def encoded_forms(value: str) -> set[str]:
    """Return `value` and what it looks like in a URL, in JSON, Python, XML, and base64 (also inside a longer value)."""
    urls = {
        quote(value, safe="", errors="replace"),
        quote(value, errors="replace"),
        quote_plus(value, errors="replace"),
    }
    json_forms = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    forms = {value, repr(value)[1:-1], ascii(value)[1:-1], html.escape(value), html.escape(value, quote=False)}
    forms |= urls | json_forms | {form.replace("/", r"\/") for form in json_forms}
    forms |= {re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), url) for url in urls}
    return forms | set(_base64_forms(value.encode(errors="replace")))


def disguised_forms(value: str) -> set[str]:
    """Return what `value` looks like when somebody hides it: reversed, in hexadecimal, in other capitals, ..."""
    plain = {value, value.upper(), value.lower(), value[::-1], value.encode().hex(), value.encode().hex(" ")}
    return encoded_forms(value) | plain | {value.replace("-", "")}


def _base64_forms(value: bytes) -> Iterator[str]:
    """Yield the part of the base64 text that does not depend on what stands before and after `value`."""
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        yield encode(value).decode()
        for offset in range(3):
            encoded = encode(bytes(offset) + value)
            first = -(-offset * 8 // 6)  # characters that also hold bits of what stands before
            last = (offset + len(value)) * 8 // 6
            core = encoded[first:last].decode()
            if len(core) >= 8:
                yield core
