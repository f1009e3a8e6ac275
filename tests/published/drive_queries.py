"""The queries of the Drive stand-in: as much of Drive's language as the tasks use, and not a word more.

query  = part {("and" | "or") part}        (`and` binds closer)
part   = "(" query ")" | NAME "=" value | value "in" "parents"
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

Test: TypeAlias = "Callable[[dict[str, Any]], bool]"

_TOKEN = re.compile(r"\s*(?:(?P<text>'(?:[^'\\]|\\.)*')|(?P<word>[A-Za-z]+)|(?P<sign>[()=]))")


class BadQueryError(Exception):
    """The query is none."""


def compiled(query: str) -> Test:
    """Return what tells whether a file answers to a query."""
    return _Reader(query).whole()


class _Reader:
    def __init__(self, query: str) -> None:
        self.tokens = []
        at = 0
        while at < len(query.rstrip()):
            token = _TOKEN.match(query, at)
            if token is None:
                raise BadQueryError(query[at:])
            self.tokens.append(token[0].strip())
            at = token.end()

    def whole(self) -> Test:
        test = self.either()
        if self.tokens:
            raise BadQueryError(" ".join(self.tokens))
        return test

    def either(self) -> Test:
        tests = [self.both()]
        while self.tokens[:1] == ["or"]:
            self.next()
            tests.append(self.both())
        return lambda file: any(test(file) for test in tests)

    def both(self) -> Test:
        tests = [self.part()]
        while self.tokens[:1] == ["and"]:
            self.next()
            tests.append(self.part())
        return lambda file: all(test(file) for test in tests)

    def part(self) -> Test:
        token = self.next()
        if token == "(":
            test = self.either()
            self.next(")")
            return test
        if token.startswith("'"):
            self.next("in")
            self.next("parents")
            return lambda file: _value(token) in file["parents"]
        if token not in {"name", "mimeType", "trashed"}:  # `title` is of version 2
            raise BadQueryError(token)
        self.next("=")
        wanted = _value(self.next())
        return lambda file: file[token] == wanted

    def next(self, expected: str = "") -> str:
        token = self.tokens.pop(0) if self.tokens else ""
        if not token or (expected and token != expected):
            raise BadQueryError(f"{token!r} for {expected!r}")
        return token


def _value(token: str) -> object:
    if token in {"true", "false"}:
        return token == "true"
    if not token.startswith("'"):
        raise BadQueryError(token)
    return re.sub(r"\\(.)", r"\1", token[1:-1])
