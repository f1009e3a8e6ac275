"""What is left of VMware's machines by processes that are dead: clones, and machines that still run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_rogue.desktops.reaper import Leftover
from pytest_rogue.desktops.vmware_claims import Claims
from pytest_rogue.desktops.vmware_clone import put_away
from pytest_rogue.desktops.vmware_vmrun import Vmrun

if TYPE_CHECKING:
    from collections.abc import Sequence


class VmwareLeftovers:
    """Finds what is left, deletes clones, and stops the user's own machines.

    Args:
        vmrun: the command.
        claims: that tell whose a machine is.
    """

    def __init__(self, vmrun: Vmrun, claims: Claims) -> None:
        self._vmrun = vmrun
        self._claims = claims

    def find(self, run_id: str | None = None) -> Sequence[Leftover]:
        """Return what belongs to processes that are dead, of one run or of all."""
        return [
            Leftover("clone" if claim.is_clone else "machine", id, claim.run, claim.owner, "", claim.vmx)
            for id, claim in self._claims.abandoned()  # noqa: A001 - as in `Leftover`
            if run_id in (None, claim.run)
        ]

    def remove(self, leftover: Leftover) -> None:
        """Remove it; it may be gone already.

        Raises:
            InfraError: it is still there.
        """
        with self._claims.adopted(leftover.id) as held:
            claim = held.read() if held else None
            if held is not None and claim is not None:
                put_away(self._vmrun, claim)
                held.clear()


class VmwareHost:
    """This machine's VMware, to be asked for leftovers as a provider is."""

    def __init__(self) -> None:
        self.leftovers = VmwareLeftovers(Vmrun(), Claims())
