"""Form bodies: what browsers and OSWorld's client send instead of JSON."""

from __future__ import annotations

from email.message import Message
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl

from .faults import BadRequest

if TYPE_CHECKING:
    from .request import Request


def read_form(request: Request) -> dict[str, bytes]:
    """Return the fields of a form, URL-encoded or multipart; of fields with the same name the last.

    Raises:
        BadRequest: the body is no form.
    """
    header = _content_type(request)
    if header.get_content_type() == "application/x-www-form-urlencoded":
        pairs = parse_qsl(request.body.decode("utf-8", "replace"), keep_blank_values=True)
        return {name: value.encode() for name, value in pairs}
    return {part.field: part.content for part in _parts(request, header)}


def read_upload(request: Request, field: str) -> tuple[str, bytes]:
    """Return name and content of the file that a multipart form has in a field.

    Raises:
        BadRequest: the body is no such form, or there is no file in that field.
    """
    for part in _parts(request, _content_type(request)):
        if part.field == field and part.file_name:
            return part.file_name, part.content
    raise BadRequest(f"the form has no file in the field {field!r}")


class _Part(NamedTuple):
    field: str
    content: bytes
    file_name: str


def _content_type(request: Request) -> Message:
    header = Message()
    header["Content-Type"] = request.content_type
    return header


def _parts(request: Request, header: Message) -> list[_Part]:
    boundary = header.get_param("boundary")
    if header.get_content_type() != "multipart/form-data" or not isinstance(boundary, str):
        raise BadRequest("the body must be a form, URL-encoded or multipart")
    parts = (b"\r\n" + request.body).split(b"\r\n--" + boundary.encode())[1:]
    return [_part(part) for part in parts if not part.startswith(b"--")]


def _part(part: bytes) -> _Part:
    head, separator, content = part.partition(b"\r\n\r\n")
    header = Message()
    for line in head.decode("utf-8", "replace").split("\r\n"):
        name, _, value = line.partition(":")
        if value:
            header[name] = value.strip()
    field = header.get_param("name", header="Content-Disposition")
    if not separator or not isinstance(field, str):
        raise BadRequest("a part of the form has no name")
    file_name = header.get_param("filename", header="Content-Disposition")
    return _Part(field, content, file_name if isinstance(file_name, str) else "")
