"""One request to a guest and its answer, and what a machine that was shut down said last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pytest_rogue.desktops.guest_http import Refused
from pytest_rogue.desktops.guest_types import FarewellAnswer
from pytest_rogue.desktops.guest_wire import fault_text, read_answer
from pytest_rogue.errors import DesktopShutDown, GuestFault

if TYPE_CHECKING:
    from pytest_rogue.desktops.guest_http import GuestHttp, Reply

_T = TypeVar("_T")

SWITCHED_OFF = 410
"""Status of the last answer of a machine that was shut down."""


class GuestExchange:
    """Asks a guest, and tells its refusals and faults from its answers."""

    _http: GuestHttp
    _farewell: FarewellAnswer | None = None

    def _ask(self, kind: type[_T], method: str, what: str, *, timeout: float = 10.0, **body: Any) -> _T:
        return read_answer(kind, self._exchange(method, what, timeout=timeout, **body).body, f"{method} {what}")

    def _exchange(self, method: str, what: str, *, timeout: float, **body: Any) -> Reply:
        """Exchange one request about `what`: a name of the guest protocol, or one of OSWorld's own paths (`/...`)."""
        if self._farewell is not None:
            raise DesktopShutDown(f"the machine was shut down, so {method} {what} was not sent")
        path = what if what.startswith("/") else f"/rogue/v1/{what}"
        reply = self._http.exchange(method, path, timeout=timeout, **body)
        if reply.status == 200:
            return reply
        if reply.status == SWITCHED_OFF:
            self._farewell = read_answer(FarewellAnswer, reply.body, f"{method} {what}")
            raise DesktopShutDown(f"the machine was shut down when {method} {what} was asked")
        message = f"{method} {what} answered {reply.status}: {fault_text(reply.body)}"
        if 400 <= reply.status < 500:
            raise Refused(message, reply.status)
        raise GuestFault(message)
