"""Our guest beside the stock server of a machine: sent there, started on the desktop that is there, and then used.

The stock server stays where it is, because a system that looks after it would start it again, or end all that it has
started. A port of our own is tried first; where none can be reached, everything goes through the stock server.
"""

from __future__ import annotations

import contextlib
import io
import secrets
import zipfile
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_rogue.desktops.bundle import bundle
from pytest_rogue.desktops.guest_client import GuestClient
from pytest_rogue.desktops.guest_http import GuestHttp
from pytest_rogue.desktops.observed import png_size
from pytest_rogue.desktops.stock_tunnel import TunnelHttp
from pytest_rogue.errors import DesktopLost, DesktopStartError, GuestFault

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.desktops.guest_types import GuestInfo
    from pytest_rogue.desktops.stock_server import StockServer

GUEST_PORT = 5055
"""Where our guest listens in the machine if it can be reached there."""

START_PATIENCE = 100.0
"""Seconds until the guest has been sent and listens."""

DIRECT_PATIENCE = 15.0
"""Seconds until a port that can be reached has answered."""

NOTE = "our guest was started in a machine of OSWorld's: its stock server lets the agent's programs do anything there"


class TakeoverImpossible(DesktopStartError):
    """Our guest cannot run in this machine; the message says what is missing there."""


@dataclass(frozen=True, slots=True)
class Door:
    """A port of the machine that can be reached from here.

    Attributes:
        port: in the machine.
        url: where it is reached.
    """

    port: int
    url: str


class TakenOverGuest(GuestClient):
    """Talks to our guest in such a machine.

    Args:
        http: connections to it.
        server: of the machine; it is closed with this.
        notes: what a reader of the results has to know.
    """

    def __init__(self, http: GuestHttp, server: StockServer, notes: tuple[str, ...]) -> None:
        self._http = http
        self._server = server
        self._notes = notes

    def close(self) -> None:
        """Close the connections; the desktop goes on."""
        super().close()
        self._server.close()

    def info(self) -> GuestInfo:
        """Ask who answers; what the guest cannot know is added: it is not alone."""
        info = super().info()
        return replace(info, capabilities=info.capabilities | {"evidence_protected": False}, notes=self._notes)


def take_over(
    server: StockServer, *, timeout: float, alive: Callable[[], bool], notes: tuple[str, ...] = (), door: Door | None
) -> GuestClient:
    """Start our guest in the machine and return its client when the desktop is proven ready.

    Args:
        server: of the machine; its screen is painted.
        timeout: seconds until the guest has to be ready, once it listens.
        alive: tells whether the machine still runs.
        notes: what else a reader of the results has to know.
        door: a port that can perhaps be reached directly.

    Raises:
        TakeoverImpossible: the machine lacks what the guest needs, or the guest does not get ready there.
        DesktopLost: the machine no longer answers.
    """
    token = secrets.token_urlsafe(32)
    width, height = png_size(server.screenshot())
    # Where it can be reached from outside, nobody gets in without the token.
    listen = f"0.0.0.0:{door.port}" if door else "127.0.0.1:0"
    options = ["--listen-tcp", listen, "--width", str(width), "--height", str(height)]
    try:
        request = {"token": token, "options": options}
        started = server.program("stock_entry.py", request, START_PATIENCE, zipped_guest())
    except GuestFault as error:
        raise TakeoverImpossible(f"our guest could not be started there: {error}") from error
    if "port" not in started:
        raise TakeoverImpossible(str(started.get("problem", "it did not say where our guest listens")))
    http = (door and _through(door, token)) or TunnelHttp(token=token, server=server, port=int(started["port"]))
    guest = TakenOverGuest(http, server, (NOTE, *notes))
    try:
        guest.wait_ready(timeout, alive=alive)
    except DesktopStartError as error:
        with contextlib.suppress(GuestFault):  # it may have ended by itself
            server.execute(["kill", str(int(started["pid"]))])
        http.close()
        raise TakeoverImpossible(f"our guest did not get ready there: {error}") from error
    return guest


def zipped_guest() -> bytes:
    """Return the guest and what it needs beside a distribution's packages, as a zip."""
    library = bundle() / "lib"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(library.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, path.relative_to(library))
    return stream.getvalue()


def _through(door: Door, token: str) -> GuestHttp | None:
    """Return connections to the guest through the door, None where that leads nowhere."""
    http = GuestHttp(token=token, base_url=door.url, uds=None)
    try:
        reply = http.exchange("GET", "/rogue/v1/ready", timeout=DIRECT_PATIENCE)
    except DesktopLost:
        reply = None
    if reply is not None and reply.status == 200:
        return http
    http.close()
    return None
