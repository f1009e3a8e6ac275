"""Form bodies: what browsers and OSWorld's client send instead of JSON."""

from __future__ import annotations

from email.message import Message
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from .faults import BadRequest

if TYPE_CHECKING:
    from .request import Request


def read_form(request: Request) -> dict[str, bytes]:
    """Return the fields of a form, URL-encoded or multipart; of fields with the same name the last.

    Raises:
        BadRequest: the body is no form.
    """
    header = Message()
    header["Content-Type"] = request.content_type
    kind = header.get_content_type()
    if kind == "application/x-www-form-urlencoded":
        pairs = parse_qsl(request.body.decode("utf-8", "replace"), keep_blank_values=True)
        return {name: value.encode() for name, value in pairs}
    boundary = header.get_param("boundary")
    if kind != "multipart/form-data" or not isinstance(boundary, str):
        raise BadRequest("the body must be a form, URL-encoded or multipart")
    parts = (b"\r\n" + request.body).split(b"\r\n--" + boundary.encode())[1:]
    return dict(_part(part) for part in parts if not part.startswith(b"--"))


def _part(part: bytes) -> tuple[str, bytes]:
    head, separator, content = part.partition(b"\r\n\r\n")
    header = Message()
    for line in head.decode("utf-8", "replace").split("\r\n"):
        name, _, value = line.partition(":")
        if value:
            header[name] = value.strip()
    field = header.get_param("name", header="Content-Disposition")
    if not separator or not isinstance(field, str):
        raise BadRequest("a part of the form has no name")
    return field, content
