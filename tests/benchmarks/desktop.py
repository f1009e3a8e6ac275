"""What a desktop costs. Beside the step and the tree stands the usual way of doing the same."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rogue.desktops.local import LocalProvider
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.interaction import Action
from tests.benchmarks.measure import Figure, timed

if TYPE_CHECKING:
    from pytest_rogue.desktops.guest_client import GuestClient

WINDOWS = (
    (["mousepad", "/etc/passwd"], "passwd"),
    (["mousepad", "/etc/group"], "group"),
    (["pcmanfm", "/usr/bin"], "bin"),
    (["pcmanfm", "/usr/share"], "share"),
    (["xfce4-terminal"], "Terminal"),
    (["galculator"], "alculator"),
)

# An interpreter started for one action, and a picture that goes through a file: what OSWorld's server does.
SPAWNED_CLICK = "import pyautogui; pyautogui.FAILSAFE = False; pyautogui.PAUSE = 0; pyautogui.click(900, 500)"
SCREENSHOT_BY_FILE = "from PIL import ImageGrab; ImageGrab.grab(xdisplay='').save('/tmp/picture.png')"
STOCK_WALK = Path(__file__).with_name("stock_walk.py").read_text()


def figures() -> list[Figure]:
    return [*_lifetime(), *_steps()]


def _lifetime() -> list[Figure]:
    provider, started = LocalProvider(), []
    spec = DesktopSpec()
    start = timed(lambda: started.append(provider.start(spec)), 10)
    stop = timed(lambda: started.pop().stop(), 10)
    return [Figure("desktop: start until proven ready", start), Figure("desktop: stop", stop)]


def _steps() -> list[Figure]:
    desktop = LocalProvider().start(DesktopSpec())
    try:
        guest = desktop.guest
        launch = [timed_once(guest, command, window) for command, window in WINDOWS]
        click = Action.python("pyautogui.click(900, 500)")
        step = timed(lambda: guest.step(1, click, quiet=0, limit=0), 30)
        usual = timed(lambda: _python(guest, SPAWNED_CLICK, SCREENSHOT_BY_FILE), 5)
        tree = timed(lambda: guest.step(1, None, quiet=0, limit=0, screenshot=False, a11y=True), 10)
        stock_tree = [float(_python(guest, STOCK_WALK).split()[0]) for _ in range(3)]
        picture = timed(lambda: guest.step(1, None, quiet=0, limit=0), 30)
    finally:
        desktop.stop()
    return [
        Figure("an editor's window, from launch to mapped", (launch[0],)),
        Figure("screenshot 1920x1080, PNG over the wire", picture),
        Figure("click and the next screenshot", step, "under 40 ms", statistics.median(usual)),
        Figure("accessibility tree of six windows", tree, "under 1 s", statistics.median(stock_tree)),
    ]


def timed_once(guest: GuestClient, command: list[str], window: str) -> float:
    import time

    started = time.perf_counter()
    guest.launch(command, window=window, timeout=20)
    return time.perf_counter() - started


def _python(guest: GuestClient, *codes: str) -> str:
    """Run programs one after the other, and return what the last one wrote."""
    written = ""
    for code in codes:
        result = guest.run(["/usr/bin/python3", "-c", code], timeout=300)
        if result.exit_code != 0:
            raise RuntimeError(result.stderr)
        written = result.stdout
    return written
