"""The embedded desktop: a real X desktop with real applications, each in a sandbox of its own on this machine.

The only door is a listening socket without a name on disk, made here and inherited by the guest. The host closes its
copy, so that a connection is refused as soon as the guest is gone.
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import weakref
from typing import TYPE_CHECKING

from pytest_rogue.desktops import leases
from pytest_rogue.desktops.bundle import GUEST_PYTHON, bundle
from pytest_rogue.desktops.guest_client import GuestClient
from pytest_rogue.desktops.limits import Limits
from pytest_rogue.desktops.local_readiness import check_programs, local_readiness
from pytest_rogue.desktops.protocol import SUDO
from pytest_rogue.desktops.sandbox import Sandbox
from pytest_rogue.desktops.sandbox_layout import SEARCH_PATH, sandbox_options
from pytest_rogue.errors import DesktopStartError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_rogue.desktops.protocol import DesktopSpec
    from pytest_rogue.readiness import Readiness


class LocalDesktop:
    """One sandboxed desktop of this machine; it also ends with this object and with this process."""

    def __init__(self, id: str, sandbox: Sandbox, guest: GuestClient) -> None:  # noqa: A002 - the protocol's name
        self.id = id
        self.guest = guest
        self._sandbox = sandbox
        self._end = weakref.finalize(self, _end, sandbox, guest)
        leases.register(self)

    def alive(self) -> bool:
        """True while the sandbox runs."""
        return self._sandbox.alive()

    def stop(self) -> None:
        """Kill all programs of the desktop and wait until they are gone; may be called again."""
        self._end()
        leases.forget(self)

    def __repr__(self) -> str:
        return f"<LocalDesktop {self.id}>"


class LocalProvider:
    """Makes embedded desktops (`--rogue-provider=local`).

    Example:
        >>> desktop = LocalProvider().start(DesktopSpec(width=1280, height=720))
        >>> desktop.guest.launch(["mousepad"], "Mousepad")
        >>> desktop.stop()
    """

    name = "local"

    def readiness(self) -> Sequence[Readiness]:
        """Return what an embedded desktop needs on this machine, each tested by doing."""
        return local_readiness()

    def missing(self, apps: Sequence[str]) -> Sequence[str]:
        """Return those of the command names that are not found on a desktop's `PATH`; the sandbox lets no sudo work."""
        return [app for app in apps if app == SUDO or "/" in app or shutil.which(app, path=SEARCH_PATH) is None]

    def start(self, spec: DesktopSpec) -> LocalDesktop:
        """Start a fresh desktop and return it when it is proven ready.

        Raises:
            DesktopStartError: it did not come up in `spec.timeout` seconds; nothing is left behind.
        """
        check_programs()
        id = secrets.token_hex(8)  # noqa: A001 - the protocol's name
        door = f"\0pytest-rogue-{id}"
        token = secrets.token_urlsafe(32)
        sandbox = _start_sandbox(spec, door, token)
        desktop = LocalDesktop(id, sandbox, GuestClient(token=token, uds=door))
        try:
            desktop.guest.wait_ready(spec.timeout, alive=desktop.alive)
        except DesktopStartError as error:
            desktop.stop()
            said = sandbox.stderr_tail()
            raise DesktopStartError(f"{error}; the guest said: {said}" if said else str(error)) from error
        except BaseException:
            desktop.stop()
            raise
        return desktop


def _start_sandbox(spec: DesktopSpec, door: str, token: str) -> Sandbox:
    limits = Limits.of(spec)
    token_inside, token_here = (os.fdopen(end, mode) for end, mode in zip(os.pipe(), ("rb", "wb"), strict=True))
    with socket.socket(socket.AF_UNIX) as listener, token_inside, token_here:
        listener.bind(door)
        listener.listen(64)
        inherited = (listener.fileno(), token_inside.fileno())
        command = [
            *limits.command(),
            *(GUEST_PYTHON, "-m", "guest"),
            *("--listen-fd", str(inherited[0]), "--token-fd", str(inherited[1])),
            *("--width", str(spec.width), "--height", str(spec.height)),
        ]
        sandbox = Sandbox(sandbox_options(bundle(), limits), command, inherited=inherited)
        # The sandbox is bound to this process by now. Had we been killed before, the guest would find no token and end.
        token_here.write(token.encode())
    return sandbox


def _end(sandbox: Sandbox, guest: GuestClient) -> None:
    guest.close()
    sandbox.end()
