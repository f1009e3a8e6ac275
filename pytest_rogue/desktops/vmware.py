"""Desktops in VMware: a machine of the user's with OSWorld's server, which our guest is sent into.

A process has one machine, and each of its desktops is a life of that machine, which begins at a snapshot. Where several
workers share a machine, each has a clone of its own.
"""

from __future__ import annotations

import secrets
import threading
import time
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rogue.desktops import leases
from pytest_rogue.desktops.owner import Owner
from pytest_rogue.desktops.stock import open_stock_desktop
from pytest_rogue.desktops.stock_takeover import GUEST_PORT, Door, TakenOverGuest
from pytest_rogue.desktops.vmware_claims import Claims
from pytest_rogue.desktops.vmware_guest import WatchedHttp
from pytest_rogue.desktops.vmware_leftovers import VmwareLeftovers
from pytest_rogue.desktops.vmware_own import OwnMachine
from pytest_rogue.desktops.vmware_readiness import vmware_readiness
from pytest_rogue.desktops.vmware_vmrun import Vmrun, VmrunFault
from pytest_rogue.errors import ConfigError, DesktopLost, DesktopStartError, GuestFault, InfraError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_rogue.desktops.guest_client import GuestClient
    from pytest_rogue.desktops.protocol import DesktopSpec
    from pytest_rogue.desktops.vmware_machine import Machine
    from pytest_rogue.readiness import Readiness

SNAPSHOT = "init_state"
"""What OSWorld's own set-up calls the snapshot that it takes."""

SERVER_PORT = 5000
"""Of OSWorld's server in the machine."""

BOOT_TIMEOUT = 600.0
"""Seconds until the desktop of a machine has to be ready, once it is switched on."""


class VmwareDesktop:
    """One life of a machine; it also ends with this object and with this process."""

    def __init__(self, id: str, machine: Machine, guest: GuestClient, end: Callable[[], None]) -> None:  # noqa: A002 - the protocol's name
        self.id = id
        self.machine = machine
        self.guest = guest
        self._end = weakref.finalize(self, end)
        leases.register(self)

    def alive(self) -> bool:
        """True while the machine runs.

        Raises:
            DesktopLost: vmrun does not tell.
        """
        try:
            return self.machine.is_up()
        except VmrunFault as fault:
            raise DesktopLost(str(fault)) from fault

    def stop(self) -> None:
        """Stop the machine and wait until it is off; may be called again.

        Raises:
            VmrunFault: it still runs.
        """
        self._end()
        leases.forget(self)

    def __repr__(self) -> str:
        return f"<VmwareDesktop {self.id} in {self.machine.vmx.name}>"


class VmwareProvider:
    """Makes desktops in VMware (`--rogue-provider=vmware`).

    Args:
        vm_path: configuration file of the machine (`Ubuntu.vmx`), `--rogue-path-to-vm`.
        snapshot: name of the snapshot that every desktop begins at.
        headless: True for no window.
        shared: True where other workers have the same machine: then this process makes a clone of it for itself.
        screen: what the screen of the machine has to be, None for what it is.
        run_id: of the run they are made for.
        owner: whom they belong to, None for this process.
        vmrun: the command, None for the one that is installed.
        claims: that tell whose a machine is, None for those of this user.
        boot_timeout: seconds until a desktop has to be ready; more than `DesktopSpec.timeout`.
        claim_patience: seconds until another process has to be through with the machine.

    Example:
        >>> provider = VmwareProvider(vm_path="Ubuntu.vmx")
        >>> desktop = provider.start(DesktopSpec())
        >>> desktop.stop()
        >>> provider.close()
    """

    name = "vmware"

    def __init__(
        self,
        *,
        vm_path: str | Path | None,
        snapshot: str = SNAPSHOT,
        headless: bool = False,
        shared: bool = False,
        screen: tuple[int, int] | None = None,
        run_id: str = "",
        owner: Owner | None = None,
        vmrun: Vmrun | None = None,
        claims: Claims | None = None,
        boot_timeout: float = BOOT_TIMEOUT,
        claim_patience: float = 30.0,
    ) -> None:
        if vm_path is None:
            raise ConfigError("a desktop in VMware needs a machine: --rogue-path-to-vm=PATH/Ubuntu.vmx")
        self.vmx = Path(vm_path).absolute()
        if not self.vmx.is_file():
            raise ConfigError(f"--rogue-path-to-vm={vm_path}: there is no such file; name the machine's .vmx")
        self.snapshot = snapshot
        self.vmrun = vmrun or Vmrun()
        claims = claims or Claims()
        self.leftovers = VmwareLeftovers(self.vmrun, claims)
        self._own = OwnMachine(
            self.vmx,
            snapshot,
            self.vmrun,
            claims,
            headless=headless,
            shared=shared,
            run_id=run_id,
            owner=str(owner or Owner.this_process()),
            patience=claim_patience,
        )
        self._screen = screen
        self._boot_timeout = boot_timeout
        self._turn = threading.Lock()
        """Held while a desktop is there: its machine has one life at a time."""

    # --- what there is --------------------

    def readiness(self) -> Sequence[Readiness]:
        """Return what it needs: vmrun, the machine, its snapshot."""
        return vmware_readiness(self.vmrun, self.vmx, self.snapshot)

    def missing(self, apps: Sequence[str]) -> Sequence[str]:  # noqa: ARG002 - the provider's protocol
        """Return nothing: what is in the machine shows only when it has booted."""
        return ()

    # --- a desktop --------------------

    def start(self, spec: DesktopSpec) -> VmwareDesktop:
        """Put the machine back to its snapshot, and return it when its desktop is proven ready.

        Raises:
            DesktopStartError: it did not come up; nothing is left running.
            DesktopsUnavailable: nor would any later one.
        """
        if not self._turn.acquire(timeout=self._boot_timeout):
            raise DesktopStartError(
                f"{self.vmx.name} still had another desktop after {self._boot_timeout:g} s: a process has one machine"
            )
        try:
            return self._start(spec)
        except BaseException as error:
            problem = self._stop()
            self._turn.release()
            note = f"; it may still run, `pytest-rogue gc --provider=vmware` stops it later ({problem})"
            if isinstance(error, (VmrunFault, DesktopLost, GuestFault)):
                raise DesktopStartError(f"{error}{note if problem else ''}") from error
            if problem:
                error.add_note(note)
            raise

    def _start(self, spec: DesktopSpec) -> VmwareDesktop:
        machine = self._own.take()
        machine.start_afresh()
        deadline = time.monotonic() + max(spec.timeout, self._boot_timeout)
        address = machine.wait_reachable(SERVER_PORT, deadline - time.monotonic())
        guest = open_stock_desktop(
            f"http://{address}:{SERVER_PORT}",
            timeout=deadline - time.monotonic(),
            alive=machine.is_up,
            door=Door(GUEST_PORT, f"http://{address}:{GUEST_PORT}"),
            notes=(f"in VMware: {machine.vmx.name} from its snapshot {machine.snapshot!r}",),
            screen=self._screen,
        )
        if isinstance(guest, TakenOverGuest):  # the stock server cannot be spoken with in another way
            guest.reroute(lambda http: WatchedHttp(http, machine))

        def end() -> None:
            try:
                guest.close()
                machine.stop()
            finally:
                self._turn.release()

        return VmwareDesktop(secrets.token_hex(8), machine, guest, end)

    def _stop(self) -> str:
        """Stop the machine; return what went wrong, empty for nothing."""
        try:
            self._own.stop()
        except InfraError as fault:
            return str(fault)
        return ""

    # --- the end --------------------

    def close(self) -> None:
        """Stop the machine of this process, and delete it where it is a clone; may be called again.

        Raises:
            InfraError: it is still there; `pytest-rogue gc --provider=vmware` tries again.
        """
        self._own.put_away()
