"""The machine of this process: the user's own, or a clone of it where several workers share it."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from pytest_rogue.desktops.vmware_claims import Claim
from pytest_rogue.desktops.vmware_clone import clone_path, make_clone, put_away
from pytest_rogue.desktops.vmware_machine import Machine, is_running, require_snapshot
from pytest_rogue.errors import DesktopsUnavailable

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_rogue.desktops.vmware_claims import Claims, HeldClaim
    from pytest_rogue.desktops.vmware_vmrun import Vmrun

CLONING_PATIENCE = 900.0
"""Seconds until the other workers have their clones: VMware makes one at a time."""


class OwnMachine:
    """Taken when it is first needed, and kept until it is put away. Every method may raise `VmrunFault`.

    Args:
        vmx: the user's machine.
        snapshot: name of the snapshot that its lives begin at.
        vmrun: the command.
        claims: that tell whose a machine is.
        headless: True for no window.
        shared: True where a clone is made of it.
        run_id: of the run that it is for.
        owner: the process, `str(Owner)`.
        patience: seconds until another process has to be through with the machine.
    """

    def __init__(
        self,
        vmx: Path,
        snapshot: str,
        vmrun: Vmrun,
        claims: Claims,
        *,
        headless: bool,
        shared: bool,
        run_id: str,
        owner: str,
        patience: float,
    ) -> None:
        self._vmx = vmx
        self._snapshot = snapshot
        self._vmrun = vmrun
        self._claims = claims
        self._headless = headless
        self._shared = shared
        self._run_id = run_id
        self._owner = owner
        self._patience = patience
        self._held: HeldClaim | None = None
        self._machine: Machine | None = None

    def take(self) -> Machine:
        """Return the machine.

        Raises:
            DesktopsUnavailable: it has no such snapshot, is in use, or cannot be cloned.
        """
        if self._machine is None:
            require_snapshot(self._vmrun, self._vmx, self._snapshot)
            vmx = self._take_clone() if self._shared else self._take_original()
            self._machine = Machine(vmx, self._snapshot, self._vmrun, headless=self._headless)
        return self._machine

    def stop(self) -> None:
        """End its life, if it was taken at all."""
        if self._machine is not None:
            self._machine.stop()

    def put_away(self) -> None:
        """Stop it, delete it where it is a clone, and leave it to others; may be called again.

        Raises:
            InfraError: it is still there; the claim tells whoever looks for leftovers.
        """
        held, self._held, self._machine = self._held, None, None
        if held is None:
            return
        try:
            claim = held.read()
            if claim is not None:
                put_away(self._vmrun, claim)
            held.clear()
        finally:
            held.let_go()

    def _take_original(self) -> Path:
        held = self._claims.take(self._vmx, self._patience)
        try:
            if held.read() is None:  # what a dead process of ours left running is not the user's work
                self._require_off()
            held.write(self._claim(self._vmx, is_clone=False))
        except BaseException:
            held.let_go()
            raise
        self._held = held
        return self._vmx

    def _require_off(self) -> None:
        if is_running(self._vmrun, self._vmx):
            raise DesktopsUnavailable(
                f"{self._vmx} runs already, and what is in it would be lost when it is put back to its snapshot: "
                "shut it down"
            )

    def _take_clone(self) -> Path:
        vmx = clone_path(self._vmx, secrets.token_hex(4))
        self._held = self._claims.take(vmx, self._patience)
        self._held.write(self._claim(vmx, is_clone=True))
        try:
            original = self._claims.take(self._vmx, CLONING_PATIENCE)
            try:
                make_clone(self._vmrun, self._vmx, vmx, self._snapshot)
            finally:
                original.let_go()
        except BaseException:
            self.put_away()
            raise
        return vmx

    def _claim(self, vmx: Path, *, is_clone: bool) -> Claim:
        return Claim(str(vmx), is_clone, self._run_id, self._owner)
