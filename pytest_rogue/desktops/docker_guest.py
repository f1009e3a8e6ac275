"""A guest in a container: where it is lost, the engine is asked why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_rogue.desktops.guest_client import GuestClient
from pytest_rogue.errors import DesktopLost

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.desktops.guest_http import GuestHttp, Reply


class ContainerGuest(GuestClient):
    """Talks to the guest of one container.

    Args:
        http: connections to it.
        why_lost: says in a few words what became of the container, nothing while it runs.
    """

    def __init__(self, http: GuestHttp, why_lost: Callable[[], str]) -> None:
        self._http = http
        self._why_lost = why_lost

    def _exchange(self, method: str, what: str, *, timeout: float, **body: Any) -> Reply:
        try:
            return super()._exchange(method, what, timeout=timeout, **body)
        except DesktopLost as lost:
            reason = self._why_lost()
            if not reason:
                raise
            # The class says whether the guest can have acted, so it stays.
            raise type(lost)(f"{lost}; {reason}") from lost
