"""What a desktop in a container costs, and how much faster than the stock guest server's way each thing is done in it.

The stock server's way is done in the same container, by turns with ours: an interpreter started for each click, a
picture that goes through a file, the tree asked for node by node (`stock_walk.py`). What its own process would not pay
(the start of an interpreter for the picture and for the tree, the way over HTTP) is left out of its time. Beside the
times stands the processor time of the whole container, which depends less on what else the machine does.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rogue.desktops.docker import DockerProvider
from pytest_rogue.desktops.pool import Pool
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.episode.recording import FRAMES_PER_SECOND, WIDTH
from pytest_rogue.interaction import Action
from pytest_rogue.records.leases import LeaseBook
from tests.benchmarks.desktop import SPAWNED_CLICK, STOCK_WALK
from tests.benchmarks.measure import Figure, timed

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_rogue.desktops.docker import DockerDesktop
    from pytest_rogue.desktops.guest_client import GuestClient

IMAGE = os.environ.get("PYTEST_ROGUE_TEST_IMAGE")
AT_ONCE = 20
CLICKS, TURNS = 15, 5
MIB = 1024 * 1024
PAGE = "<table>" + "".join(f"<tr><td>{row}<td>name {row}<td>city {row}" for row in range(150)) + "</table>"
ROWS, COLUMNS = 200, 12
SIX_WINDOWS = (
    (("mousepad", "/etc/passwd"), "passwd"),
    (("gedit", "/etc/group"), "group"),
    (("pcmanfm", "/usr/bin"), "bin"),
    (("libreoffice", "--calc", "/home/user/table.fods"), "Calc"),
    (("libreoffice", "--writer"), "Writer"),
    (("chromium", "file:///home/user/page.html"), "Chromium"),
)
PICTURE_BY_FILE = "ImageGrab.grab(xdisplay='').save('/tmp/picture.png'); open('/tmp/picture.png', 'rb').read()"


def figures() -> list[Figure]:
    provider = DockerProvider(image=IMAGE, run_id="benchmark")
    lacking = [f"{need.name}: {need.found}" for need in provider.readiness() if not need.ready]
    if lacking:
        sys.stderr.write(f"  left out, no desktops in containers here: {'; '.join(lacking)}\n")
        return []
    try:
        return [*_lifetime(provider), *_between_episodes(provider), *_steps(provider), *_at_once(provider)]
    finally:
        provider.close()


def _lifetime(provider: DockerProvider) -> list[Figure]:
    started: list[DockerDesktop] = []
    start = timed(lambda: started.append(provider.start(DesktopSpec())), 10)
    stop = timed(lambda: started.pop().stop(), 10)
    return [Figure("container: start until proven ready", start), Figure("container: stop", stop)]


def _between_episodes(provider: DockerProvider) -> list[Figure]:
    """From the end of an episode to the first screenshot of the next, where the spare had the time to start."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Pool(provider, LeaseBook(Path(folder) / "run.sqlite", limit=3, spares=1)) as pool,
    ):
        current = [pool.acquire(DesktopSpec())]
        waits = []
        for _ in range(10):
            assert pool._spare is not None
            pool._spare.desktop()
            began = time.perf_counter()
            pool.release(current.pop())
            current.append(pool.acquire(DesktopSpec()))
            current[0].guest.screenshot()
            waits.append(time.perf_counter() - began)
    return [Figure("container: wait between two episodes", tuple(waits), "under 100 ms")]


def _at_once(provider: DockerProvider) -> list[Figure]:
    spec = DesktopSpec(timeout=120)
    with ThreadPoolExecutor(AT_ONCE) as threads:
        began = time.perf_counter()
        desktops = list(threads.map(lambda _: provider.start(spec), range(AT_ONCE)))
        taken = time.perf_counter() - began
        memory = tuple(_memory(provider, desktop) for desktop in desktops)
        list(threads.map(lambda desktop: desktop.stop(), desktops))
    return [
        Figure(f"container: {AT_ONCE} at once, until all are ready", (taken,), "under 10 s on 2 idle cores"),
        Figure("container: memory of an idle desktop", memory, "under 100 MiB", unit="MiB"),
    ]


def _steps(provider: DockerProvider) -> list[Figure]:
    desktop = provider.start(DesktopSpec(timeout=120))
    try:
        guest = desktop.guest
        before, during = _recording_cost(provider, desktop)
        guest.write_file("/home/user/page.html", PAGE.encode())
        guest.write_file("/home/user/table.fods", _spreadsheet().encode())
        for command, title in SIX_WINDOWS:
            guest.launch(command, title, 60)
        click = Action.python("pyautogui.click(1900, 500)")
        steps, stock_steps = _clicks(guest, click)
        trees = _trees(provider, desktop, click)
    finally:
        desktop.stop()
    stock = statistics.median(stock_steps)
    stock_tree = statistics.median(trees["stock, seconds"])
    return [
        Figure("container: recording, of one processor", (during - before,), unit="%"),
        Figure("container: click and screenshot", steps, "5 x", stock),
        Figure("container: click, screenshot, tree of six windows", trees["ours, seconds"], "8 x", stock + stock_tree),
        Figure(
            "  its processor time, of the whole container",
            trees["ours, processor"],
            against=statistics.median(trees["stock, processor"]),
        ),
    ]


def _clicks(guest: GuestClient, click: Action) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Click and look by turns in our way and in the stock server's."""
    ours, stock = [], []
    guest.step(1, click, quiet=0, limit=0)
    for _ in range(CLICKS):
        began = time.perf_counter()
        guest.step(1, click, quiet=0, limit=0)
        ours.append(time.perf_counter() - began)
        began = time.perf_counter()
        _succeeds(guest, SPAWNED_CLICK)
        clicked = time.perf_counter() - began
        stock.append(clicked + _inside(guest, "from PIL import ImageGrab", PICTURE_BY_FILE))
    return tuple(ours), tuple(stock)


def _trees(provider: DockerProvider, desktop: DockerDesktop, click: Action) -> dict[str, tuple[float, ...]]:
    """Read the tree by turns in our way, with a click and a screenshot, and in the stock server's, the tree alone."""
    taken: dict[str, list[float]] = {}

    def note(whose: str, seconds: float, used_before: float) -> None:
        taken.setdefault(f"{whose}, seconds", []).append(seconds)
        used = _processor_seconds(provider, desktop) - used_before
        taken.setdefault(f"{whose}, processor", []).append(used)

    desktop.guest.step(1, click, quiet=0, limit=0, a11y=True, a11y_seconds=60)
    for _ in range(TURNS):
        used, began = _processor_seconds(provider, desktop), time.perf_counter()
        reply = desktop.guest.step(1, click, quiet=0, limit=0, a11y=True, a11y_seconds=60)
        note("ours", time.perf_counter() - began, used)
        if reply.a11y_problem:
            raise RuntimeError(reply.a11y_problem)
        used = _processor_seconds(provider, desktop)
        stock, _ = _succeeds(desktop.guest, STOCK_WALK).split()
        note("stock", float(stock), used)
    return {name: tuple(values) for name, values in taken.items()}


def _spreadsheet() -> str:
    """Return a table as a flat document that LibreOffice opens without a question."""
    cell = '<table:table-cell office:value-type="string"><text:p>{}.{}</text:p></table:table-cell>'
    row = "<table:table-row>{}</table:table-row>"
    rows = "".join(row.format("".join(cell.format(y, x) for x in range(COLUMNS))) for y in range(ROWS))
    names = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    kind = 'office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f"<office:document {names} {kind}>"
        f'<office:body><office:spreadsheet><table:table table:name="Sheet1">{rows}</table:table></office:spreadsheet>'
        "</office:body></office:document>"
    )


def _recording_cost(provider: DockerProvider, desktop: DockerDesktop) -> tuple[float, float]:
    """Return the share of a processor that the desktop needs, in percent, before and while its screen is recorded."""
    before = _processor_share(provider, desktop, lambda: None)
    desktop.guest.start_recording(FRAMES_PER_SECOND, WIDTH)
    taken = 0

    def take() -> None:
        nonlocal taken
        taken += len(desktop.guest.recorded(taken).data)

    during = _processor_share(provider, desktop, take)
    desktop.guest.stop_recording()
    return before, during


def _processor_share(provider: DockerProvider, desktop: DockerDesktop, each_second: Callable[[], None]) -> float:
    began, used = time.perf_counter(), _processor_seconds(provider, desktop)
    for _ in range(5):
        time.sleep(1)
        each_second()
    return 100 * (_processor_seconds(provider, desktop) - used) / (time.perf_counter() - began)


def _processor_seconds(provider: DockerProvider, desktop: DockerDesktop) -> float:
    return float(_stats(provider, desktop)["cpu_stats"]["cpu_usage"]["total_usage"]) / 1e9


def _memory(provider: DockerProvider, desktop: DockerDesktop) -> float:
    """Return what `docker stats` shows: all that is used but what the page cache could give back."""
    memory = _stats(provider, desktop)["memory_stats"]
    inactive = memory["stats"].get("total_inactive_file", memory["stats"].get("inactive_file", 0))
    return float(memory["usage"] - inactive) / MIB


def _stats(provider: DockerProvider, desktop: DockerDesktop) -> Any:
    return provider.engine.api.stats(desktop.container, stream=False, one_shot=True)


def _succeeds(guest: GuestClient, code: str) -> str:
    result = guest.run(["/usr/bin/python3", "-c", code], timeout=300)
    if result.exit_code != 0:
        raise RuntimeError(result.stderr)
    return result.stdout


def _inside(guest: GuestClient, before: str, code: str) -> float:
    """Return the time that `code` takes in the desktop, without the start of its interpreter."""
    program = f"{before}\nimport time\nbegan = time.perf_counter()\n{code}\nprint(time.perf_counter() - began)"
    return float(_succeeds(guest, program))
