"""A desktop that is somebody else's: who answers in it, and what can be had of it.

Best is our own guest, which is sent into the machine and takes over. Where it cannot run there, the stock server alone
is used, and every result says what could not be measured.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

from pytest_rogue.desktops.observed import is_png, png_size
from pytest_rogue.desktops.stock_guest import StockGuest
from pytest_rogue.desktops.stock_server import StockServer
from pytest_rogue.desktops.stock_takeover import Door, TakeoverImpossible, take_over
from pytest_rogue.errors import DesktopStartError, DesktopsUnavailable, GuestFault

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.desktops.guest_client import GuestClient

LEAST_TAKEOVER = 60.0
"""Seconds a guest has to get ready, also where the machine used up all of its time for starting."""


def who_answers(url: str) -> Literal["guest", "stock"]:
    """Tell whether our guest or OSWorld's stock server answers at an address.

    Raises:
        DesktopLost: nobody answers.
        GuestFault: it is somebody else.
    """
    server = StockServer(url)
    try:
        status = server.http.exchange("GET", "/rogue/v1/info", timeout=10.0).status
        if status in (200, 401):
            return "guest"
        shown = server.http.exchange("GET", "/screenshot", timeout=20.0)
        if shown.status == 200 and is_png(shown.body):
            return "stock"
        raise GuestFault(
            f"what answers at {url} is neither a guest of pytest-rogue nor OSWorld's server "
            f"(GET /screenshot: {shown.status}): is it the right address and port?"
        )
    finally:
        server.close()


def open_stock_desktop(
    url: str,
    *,
    timeout: float,
    alive: Callable[[], bool] = lambda: True,
    door: Door | None = None,
    notes: tuple[str, ...] = (),
    screen: tuple[int, int] | None = None,
) -> GuestClient:
    """Wait until the stock server of a machine is ready, and return the best client there is for its desktop.

    Args:
        url: of the stock server, such as `http://127.0.0.1:5000`.
        timeout: seconds until its screen has to be painted.
        alive: tells whether the machine still runs.
        door: a port of the machine that can perhaps be reached directly.
        notes: what else a reader of the results has to know.
        screen: width and height that its screen has to have, None for those that it has.

    Returns:
        The client of our guest, or a `StockGuest` whose notes say why it cannot run there.

    Raises:
        DesktopStartError: the desktop did not get ready.
        DesktopsUnavailable: its screen has another size.
        DesktopLost: the machine stopped answering.
    """
    deadline = time.monotonic() + timeout
    server = StockServer(url)
    try:
        StockGuest(server).wait_ready(timeout, alive=alive)
        _require_screen(server, screen)
        fault = server.script_fault()
        notes = (*notes, fault) if fault else notes
        left = max(deadline - time.monotonic(), LEAST_TAKEOVER)
        try:
            return take_over(server, timeout=left, alive=alive, notes=notes, door=door)
        except TakeoverImpossible as impossible:
            return _stock_alone(server, impossible, notes)
    except BaseException:
        server.close()
        raise


def _require_screen(server: StockServer, screen: tuple[int, int] | None) -> None:
    if screen is None:
        return
    found = png_size(server.screenshot())
    if found != screen:
        raise DesktopsUnavailable(
            f"the screen of the machine has {found[0]}x{found[1]} pixels, which --rogue-screen-size="
            f"{screen[0]}x{screen[1]} cannot change: set it inside the machine, or drop the option"
        )


def _stock_alone(server: StockServer, impossible: TakeoverImpossible, notes: tuple[str, ...]) -> StockGuest:
    guest = StockGuest(server, (f"our own guest cannot run there: {impossible}", *notes))
    if not guest.info().capabilities["pyautogui"]:
        raise DesktopStartError(
            f"nothing can act in the machine at {server.url}: pyautogui does not work there, and {impossible}"
        ) from impossible
    return guest
