"""VMware's own command, `vmrun`: no shell, each call bounded in time, and what it said in the error.

What it prints goes to a file and not to a pipe: a machine that it starts keeps a pipe open for as long as it runs.
"""

from __future__ import annotations

import ipaddress
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pytest_rogue.errors import DesktopsUnavailable, InfraError

if TYPE_CHECKING:
    from collections.abc import Sequence

CHANGE_PATIENCE = 180.0
"""Seconds a command may take that changes a machine; a snapshot can be as large as its memory."""

QUESTION_PATIENCE = 30.0
"""Seconds a command may take that only asks."""

FUSION = Path("/Applications/VMware Fusion.app/Contents/Library/vmrun")
"""Where Fusion has it, which does not put it on the PATH."""

_SAID = 400
"""Characters of its words that an error repeats."""


class VmrunFault(InfraError):
    """`vmrun` did not do what it was asked; the message has its words."""


class VmrunHangs(VmrunFault):
    """`vmrun` did not come back in time and was ended; the machine may have done what was asked."""


class Vmrun:
    """The commands of `vmrun` that are used here. Every method may raise `VmrunFault`.

    Args:
        program: its path, None to look for it.
        patience: seconds a command may take that changes a machine.
        question_patience: seconds a command may take that only asks.
    """

    def __init__(
        self,
        program: str | None = None,
        *,
        patience: float = CHANGE_PATIENCE,
        question_patience: float = QUESTION_PATIENCE,
    ) -> None:
        self.program = program or find_vmrun()
        self.product: Literal["fusion", "ws"] = "fusion" if platform.system() == "Darwin" else "ws"
        self._patience = patience
        self._question_patience = question_patience

    # --- what there is --------------------

    def running(self) -> Sequence[Path]:
        """Return the configuration files of the machines that run."""
        return [Path(line) for line in self._listed("list")]

    def snapshots(self, vmx: Path) -> Sequence[str]:
        """Return the names of a machine's snapshots."""
        return self._listed("listSnapshots", vmx)

    def address(self, vmx: Path) -> str:
        """Return the address of a running machine, ready for a URL.

        Raises:
            VmrunFault: it has none yet, or VMware Tools do not run in it.
        """
        said = self._run(self._question_patience, "getGuestIPAddress", vmx).strip()
        try:
            address = ipaddress.ip_address(said)
        except ValueError:
            raise VmrunFault(f"vmrun getGuestIPAddress told no address: {said[-_SAID:] or 'nothing'}") from None
        return f"[{address}]" if address.version == 6 else str(address)

    # --- what is done to a machine --------------------

    def start(self, vmx: Path, *, headless: bool) -> None:
        """Switch a machine on, or let it go on where it was when its snapshot was taken."""
        self._run(self._patience, "start", vmx, "nogui" if headless else "gui")

    def stop(self, vmx: Path, how: Literal["soft", "hard"], patience: float) -> None:
        """Shut a machine down by its own system (`soft`), or cut its power (`hard`)."""
        self._run(patience, "stop", vmx, how)

    def revert(self, vmx: Path, snapshot: str) -> None:
        """Put a machine back to a snapshot."""
        self._run(self._patience, "revertToSnapshot", vmx, snapshot)

    def take_snapshot(self, vmx: Path, name: str) -> None:
        """Take a snapshot of a machine."""
        self._run(self._patience, "snapshot", vmx, name)

    def clone(self, vmx: Path, copy: Path, snapshot: str) -> None:
        """Make a linked clone: a machine that has only what differs from the snapshot."""
        self._run(self._patience, "clone", vmx, copy, "linked", f"-snapshot={snapshot}", f"-cloneName={copy.stem}")

    def delete(self, vmx: Path) -> None:
        """Delete a machine with its disks."""
        self._run(self._patience, "deleteVM", vmx)

    # --- one call --------------------

    def _listed(self, command: str, *words: Path) -> Sequence[str]:
        """Return the lines below the first one, which only counts them."""
        said = self._run(self._question_patience, command, *words)
        head, *lines = said.splitlines() or [""]
        if not head.startswith("Total "):
            raise VmrunFault(f"vmrun {command} answered what is not a list: {said[-_SAID:] or 'nothing'}")
        return [line.strip() for line in lines if line.strip()]

    def _run(self, patience: float, command: str, *words: str | Path) -> str:
        if self.program is None:
            raise DesktopsUnavailable(
                "vmrun was not found: install VMware Workstation Pro or Fusion and put vmrun on the PATH "
                "(docs/vmware-setup.md)"
            )
        call = [self.program, "-T", self.product, command, *map(str, words)]
        shown = f"vmrun {command}" + (f" of {Path(words[0]).name}" if words else "")
        with tempfile.TemporaryFile() as output:
            try:
                process = subprocess.Popen(
                    call,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,  # Ctrl-C ends the desktop, not a command on its way
                )
            except OSError as error:
                raise VmrunFault(f"{self.program} cannot be started: {error.strerror or error}") from error
            try:
                exit_code = process.wait(patience)
            except subprocess.TimeoutExpired:
                raise VmrunHangs(f"{shown} did not come back within {patience:g} s{_words(output.fileno())}") from None
            finally:
                process.kill()
                process.wait()
            if exit_code != 0:
                raise VmrunFault(f"{shown} failed (exit code {exit_code}){_words(output.fileno())}")
            return _said(output.fileno())


def find_vmrun() -> str | None:
    """Return the path of `vmrun`, None where it is not installed."""
    return shutil.which("vmrun") or (str(FUSION) if FUSION.is_file() else None)


def _said(descriptor: int) -> str:
    return os.pread(descriptor, 1 << 20, 0).decode(errors="replace")


def _words(descriptor: int) -> str:
    """Return what it said, as the end of a sentence; empty for nothing."""
    said = " ".join(_said(descriptor).split()).removeprefix("Error: ")
    return f": {said[-_SAID:]}" if said else ""
