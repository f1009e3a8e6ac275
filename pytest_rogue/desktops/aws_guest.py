"""A guest on an instance: where it is lost, AWS is asked what became of the machine."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from pytest_rogue.desktops.aws_account import AwsFault, AwsRefused
from pytest_rogue.desktops.guest_http import GuestHttp, Reply
from pytest_rogue.errors import DesktopLost, DesktopShutDown

if TYPE_CHECKING:
    from pytest_rogue.desktops.aws_instance import Fate, Instance

FATE_PATIENCE = 45.0
"""Seconds in which AWS may notice that a machine is down which answers nobody any more."""

_POLL = 1.0
_PROBE = 5.0


class WatchedHttp(GuestHttp):
    """HTTP to a guest, with AWS's word on what became of its machine where it is lost.

    Args:
        http: connections to it; they are closed with this.
        instance: it is on.
        patience: seconds in which AWS may notice that the machine is down.
    """

    def __init__(self, http: GuestHttp, instance: Instance, patience: float = FATE_PATIENCE) -> None:
        self.address = http.address
        self._http = http
        self._instance = instance
        self._patience = patience
        self._fate: Fate | None = None

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def exchange(self, method: str, path: str, *, timeout: float, **body: Any) -> Reply:
        """Send one request and read its answer, as `GuestHttp.exchange`.

        Raises:
            DesktopShutDown: the machine was switched off in order from inside.
            NeverSent, DesktopLost, GuestFault: as there; the message says what became of the machine.
        """
        try:
            return self._http.exchange(method, path, timeout=timeout, **body)
        except DesktopLost as lost:
            try:
                fate = self._fate = self._fate or self._wait_for_fate()
            except (AwsFault, AwsRefused) as fault:
                raise type(lost)(f"{lost}; and AWS does not tell what became of it: {fault}") from lost
            if fate is None:
                raise
            said = f"the machine of the instance {self._instance.id} is down: {fate.said}"
            if fate.shut_down:
                raise DesktopShutDown(f"{said}; {method} {path} was not answered") from lost
            # The class says whether the guest can have acted, so it stays.
            raise type(lost)(f"{lost}; {said}") from lost

    def _wait_for_fate(self) -> Fate | None:
        """Return what became of the machine; None where it still answers, or AWS goes on to list it as running."""
        deadline = time.monotonic() + self._patience
        while (fate := self._instance.fate()) is None and not self._answers() and time.monotonic() < deadline:
            time.sleep(_POLL)
        return fate

    def _answers(self) -> bool:
        try:
            self._http.exchange("GET", "/rogue/v1/ready", timeout=_PROBE)
        except DesktopLost:
            return False
        return True
