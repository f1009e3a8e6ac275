"""Which process has which machine of VMware's: a small file for each, locked for as long as its process lives.

The system lets a lock go when its process ends, in whatever way. So a file that says something and is not locked tells
what a dead process left.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rogue.errors import DesktopsUnavailable, InfraError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_POLL = 0.1


@dataclass(frozen=True, slots=True)
class Claim:
    """What a process has of a machine.

    Attributes:
        vmx: configuration file of the machine.
        is_clone: True where it was made for the process, and is to be deleted.
        run: the run it is used for.
        owner: the process, `str(Owner)`.
    """

    vmx: str
    is_clone: bool
    run: str
    owner: str


class HeldClaim:
    """A file that is locked, and nobody else's until it is let go."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.id = path.stem
        self._path = path
        self._descriptor = descriptor

    def read(self) -> Claim | None:
        """Return what it says, None for nothing."""
        text = os.pread(self._descriptor, 1 << 16, 0)
        try:
            return Claim(**json.loads(text)) if text else None
        except (ValueError, TypeError):
            return None  # a process died while it wrote, and so before it had the machine

    def write(self, claim: Claim) -> None:
        """Say what the process has; this comes before it has it."""
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, json.dumps(asdict(claim)).encode(), 0)

    def clear(self) -> None:
        """Say that there is nothing any more; nobody will ever ask again about a clone."""
        claim = self.read()
        os.ftruncate(self._descriptor, 0)
        if claim is not None and claim.is_clone:
            self._path.unlink(missing_ok=True)

    def let_go(self) -> None:
        """Unlock it. What it says then is what was left."""
        os.close(self._descriptor)


class Claims:
    """The claims of this machine's processes.

    Args:
        folder: they are in, None for that of this user.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or claims_folder()

    def take(self, vmx: Path, patience: float) -> HeldClaim:
        """Lock the claim of a machine.

        Raises:
            DesktopsUnavailable: another process has had it for `patience` seconds.
            InfraError: the folder cannot be written.
        """
        with self._writing():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = self._folder / f"{hashlib.sha256(str(vmx.resolve()).encode()).hexdigest()[:16]}.json"
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        deadline = time.monotonic() + patience
        while not _lock(descriptor):
            if time.monotonic() > deadline:
                os.close(descriptor)
                raise DesktopsUnavailable(
                    f"another process has used {vmx} for {patience:g} s: wait until it is through, or give this run a "
                    "machine of its own by --rogue-path-to-vm"
                )
            time.sleep(_POLL)
        return HeldClaim(path, descriptor)

    def abandoned(self) -> Sequence[tuple[str, Claim]]:
        """Return id and content of the claims whose process is dead."""
        found = []
        for path in sorted(self._folder.glob("*.json")):
            with self.adopted(path.stem) as held:
                claim = held.read() if held else None
                if claim is not None:
                    found.append((path.stem, claim))
        return found

    @contextmanager
    def adopted(self, id: str) -> Iterator[HeldClaim | None]:  # noqa: A002 - as in `Leftover`
        """Lock the claim of a dead process; None where there is none, or its process lives."""
        try:
            descriptor = os.open(self._folder / f"{id}.json", os.O_RDWR)
        except FileNotFoundError:
            yield None
            return
        try:
            yield HeldClaim(self._folder / f"{id}.json", descriptor) if _lock(descriptor) else None
        finally:
            os.close(descriptor)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InfraError(
                f"which process has which machine cannot be written to {self._folder} ({error.strerror}): free some "
                "space or set XDG_STATE_HOME"
            ) from error


def claims_folder() -> Path:
    """Return where the claims of this user are."""
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "pytest-rogue" / "vmware"


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
