"""Between the bytes of the guest protocol and the types of the host."""

from __future__ import annotations

import base64
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from pytest_rogue.desktops.guest_types import FaultAnswer
from pytest_rogue.desktops.observed import is_png
from pytest_rogue.errors import GuestFault

if TYPE_CHECKING:
    from pytest_rogue.interaction import Action

_T = TypeVar("_T")


def read_answer(kind: type[_T], body: bytes, what: str) -> _T:
    """Return the answer to the request `what` as a `kind`.

    Raises:
        GuestFault: it is not JSON, or a field is missing or wrong; the message names the field.
    """
    try:
        answer: _T = _reader(cast("Any", kind)).validate_json(body)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the body"
        raise GuestFault(f"the guest's answer to {what} is malformed at {place}: {first['msg']}") from None
    return answer


def fault_text(body: bytes) -> str:
    """Return what a fault's body says, or its beginning where it does not follow the protocol."""
    try:
        fault = read_answer(FaultAnswer, body, "a fault")
    except GuestFault:
        return body[:300].decode(errors="replace") or "no message"
    return fault.message or f"{fault.error.kind}: {fault.error.message}"


def action_on_the_wire(action: Action | None) -> dict[str, object] | None:
    """Return the action as `POST step` takes it.

    Raises:
        ValueError: it ends the episode and is never sent.
    """
    if action is None:
        return None
    if action.kind == "python":
        return {"kind": "python", "code": action.code}
    if action.kind == "wait":
        return {"kind": "wait", "seconds": action.seconds}
    raise ValueError(f"the action {action.kind!r} ends the episode and is never sent to a desktop")


def decoded_screenshot(text: str | None) -> bytes:
    """Return the PNG bytes of a base64 screenshot.

    Raises:
        GuestFault: it is missing, not base64, or not a PNG.
    """
    try:
        png = base64.b64decode(text or "", validate=True)
    except ValueError as error:
        raise GuestFault(f"the guest's screenshot is not base64: {error}") from error
    if not is_png(png):
        raise GuestFault("the guest's screenshot is missing or not a PNG")
    return png


@cache
def _reader(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
