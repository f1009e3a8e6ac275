"""A guest in a machine of VMware's: where it is lost, `vmrun` is asked whether the machine still runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_rogue.desktops.guest_http import GuestHttp, Reply
from pytest_rogue.desktops.vmware_vmrun import VmrunFault
from pytest_rogue.errors import DesktopLost

if TYPE_CHECKING:
    from pytest_rogue.desktops.vmware_machine import Machine


class WatchedHttp(GuestHttp):
    """HTTP to a guest, with `vmrun`'s word on its machine where it is lost.

    Args:
        http: connections to it; they are closed with this.
        machine: it is in.
    """

    def __init__(self, http: GuestHttp, machine: Machine) -> None:
        self.address = http.address
        self._http = http
        self._machine = machine

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def exchange(self, method: str, path: str, *, timeout: float, **body: Any) -> Reply:
        """Send one request and read its answer, as `GuestHttp.exchange`.

        Raises:
            NeverSent, DesktopLost, GuestFault: as there; the message says whether the machine runs.
        """
        try:
            return self._http.exchange(method, path, timeout=timeout, **body)
        except DesktopLost as lost:
            # The class says whether the guest can have acted, so it stays.
            raise type(lost)(f"{lost}; {self._fate()}") from lost

    def _fate(self) -> str:
        try:
            runs = self._machine.is_up()
        except VmrunFault as fault:
            return f"vmrun does not tell whether its machine runs ({fault})"
        return f"its machine {self._machine.vmx.name} {'still runs' if runs else 'no longer runs'}"
