"""What a client asks and what it gets, free of HTTP's mechanics."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from .faults import BadRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 86_400.0
"""Seconds that a request may ask for: a day."""

_T = TypeVar("_T")
_REQUIRED: Any = object()


@dataclass(frozen=True)
class Request:
    """What a client asks."""

    query: Mapping[str, str]
    content_type: str = ""
    body: bytes = b""

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """The body as a JSON object; an empty body is an empty object.

        Raises:
            BadRequest: it is something else.
        """
        try:
            parsed = json.loads(self.body or b"{}")
        except ValueError as error:
            raise BadRequest(f"the body is not JSON: {error}") from None
        if not isinstance(parsed, dict):
            raise BadRequest("the body must be a JSON object")
        return parsed

    def field(self, name: str, kind: type[_T], default: _T = _REQUIRED) -> _T:
        """Return a field of the JSON body."""
        return read_field(self.fields, name, kind, default)

    def seconds(self, name: str, default: float = _REQUIRED) -> float:
        """Return a field of the JSON body that is a number of seconds."""
        return read_seconds(self.fields, name, default)

    def parameter(self, name: str, default: str = _REQUIRED) -> str:
        """Return a parameter of the query."""
        return read_field(self.query, name, str, default)


def read_field(fields: Mapping[str, Any], name: str, kind: type[_T], default: _T = _REQUIRED) -> _T:
    """Return a field that has to be of a kind.

    Raises:
        BadRequest: it is missing and has no default, or is of another kind.
    """
    value = fields.get(name)
    if value is None:
        if default is _REQUIRED:
            raise BadRequest(f"{name!r} is missing")
        return default
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise BadRequest(f"{name!r} must be {kind.__name__}, not {type(value).__name__}")
    return value


def read_seconds(fields: Mapping[str, Any], name: str, default: float = _REQUIRED) -> float:
    """Return a field that has to be a number of seconds.

    Raises:
        BadRequest: it is missing and has no default, or is no number from 0 to `LONGEST`.
    """
    value: object = fields.get(name, default)
    if value is _REQUIRED:
        raise BadRequest(f"{name!r} is missing")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= LONGEST:
        raise BadRequest(f"{name!r} must be a number of seconds from 0 to {LONGEST:g}, not {value!r}")
    return float(value)


@dataclass(frozen=True, slots=True)
class Response:
    """What a client gets."""

    body: bytes = b"{}"
    content_type: str = "application/json"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def as_json(value: object, status: int = 200) -> Response:
    """Answer with a JSON value."""
    return Response(json.dumps(value).encode(), status=status)


def read_texts(fields: Mapping[str, Any], name: str) -> list[str]:
    """Return a field that has to be a list of texts, with at least one.

    Raises:
        BadRequest: it is something else.
    """
    value = fields.get(name)
    if (
        not isinstance(value, list)
        or not value
        or not all(isinstance(item, str) and "\0" not in item for item in value)
    ):
        raise BadRequest(f"{name!r} must be a list of texts, the program first")
    return value
