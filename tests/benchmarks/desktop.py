"""What a desktop costs. Beside the step and the tree stands the usual way of doing the same."""

from __future__ import annotations

import statistics
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
# The accessibility library's own synchronous calls, node after node.
WALK_NODE_BY_NODE = """
import gi
gi.require_version("Atspi", "2.0")
from gi.repository import Atspi

def walk(node, depth=0):
    if node is None or depth > 50:
        return 0
    node.get_name(), node.get_role_name(), node.get_state_set().get_states(), node.get_interfaces()
    try:
        box = node.get_component_iface()
        box and box.get_extents(Atspi.CoordType.SCREEN)
    except Exception:
        pass
    return 1 + sum(walk(node.get_child_at_index(i), depth + 1) for i in range(min(node.get_child_count(), 1024)))

print(walk(Atspi.get_desktop(0)))
"""


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
        node_by_node = timed(lambda: _python(guest, WALK_NODE_BY_NODE), 3)
        picture = timed(lambda: guest.step(1, None, quiet=0, limit=0), 30)
    finally:
        desktop.stop()
    return [
        Figure("an editor's window, from launch to mapped", (launch[0],)),
        Figure("screenshot 1920x1080, PNG over the wire", picture),
        Figure("click and the next screenshot", step, "under 40 ms", statistics.median(usual)),
        Figure("accessibility tree of six windows", tree, "under 1 s", statistics.median(node_by_node)),
    ]


def timed_once(guest: GuestClient, command: list[str], window: str) -> float:
    import time

    started = time.perf_counter()
    guest.launch(command, window=window, timeout=20)
    return time.perf_counter() - started


def _python(guest: GuestClient, *codes: str) -> None:
    for code in codes:
        result = guest.run(["/usr/bin/python3", "-c", code], timeout=120)
        if result.exit_code != 0:
            raise RuntimeError(result.stderr)
