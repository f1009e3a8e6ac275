"""`python -m tests.benchmarks.soak --cycles 1000`: containers come and go; what is left is counted.

One cycle takes a desktop from the pool, looks at its screen, and gives it back.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

from pytest_rogue.desktops.docker import DockerProvider
from pytest_rogue.desktops.docker_door import runtime_folder
from pytest_rogue.desktops.docker_engine import Engine
from pytest_rogue.desktops.pool import Pool
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.records.leases import LeaseBook

IMAGE = os.environ.get("PYTEST_ROGUE_TEST_IMAGE")
RUN = f"soak-{os.getpid()}"
GROWTH_ALLOWED_MB = 50
"""Of this process: threads and connections are kept for the next desktop."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, default=1000, metavar="N")
    cycles = parser.parse_args(arguments).cycles
    engine = Engine()
    _cycles(10)  # what is loaded once is there before the first count
    before = _counts(engine)
    began = time.perf_counter()
    waits = _cycles(cycles)
    taken = time.perf_counter() - began
    after = _counts(engine)
    sys.stdout.write(f"{cycles} cycles in {taken:.0f} s; load {os.getloadavg()[0]:.1f}\n")
    sys.stdout.write(f"wait for a desktop: median {1000 * statistics.median(waits):.0f} ms, most {max(waits):.2f} s\n")
    for name, number in before.items():
        sys.stdout.write(f"{name:32} {number:8} {after[name]:8}\n")
    left = [name for name in before if not name.startswith("MB") and after[name] > before[name]]
    left += [name for name in before if name.startswith("MB") and after[name] > before[name] + GROWTH_ALLOWED_MB]
    sys.stdout.write(f"left behind: {', '.join(left) or 'nothing'}\n")
    return 1 if left else 0


def _cycles(number: int) -> list[float]:
    waits = []
    provider = DockerProvider(image=IMAGE, run_id=RUN)
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            Pool(provider, LeaseBook(Path(folder) / "run.sqlite", limit=3, spares=1)) as pool,
        ):
            for cycle in range(number):
                began = time.perf_counter()
                desktop = pool.acquire(DesktopSpec(width=1280, height=720, timeout=300))
                waits.append(time.perf_counter() - began)
                desktop.guest.screenshot()
                pool.release(desktop)
                if cycle % 100 == 99:
                    sys.stderr.write(f"{cycle + 1} cycles\n")
    finally:
        provider.close()
    return waits


def _counts(engine: Engine) -> dict[str, int]:
    """Return what there is of everything that could be left behind; of the engine's things, those of this run."""
    label = [f"pytest-rogue.run={RUN}"]
    own = Path("/proc/self")
    return {
        "containers of this run": len(engine.labelled("containers", label)),
        "networks of this run": len(engine.labelled("networks", label)),
        "volumes of this run": len(engine.labelled("volumes", label)),
        "volumes without a label": len(_anonymous_volumes(engine)),
        "folders of doors": len(list(runtime_folder().glob("pytest-rogue-door-*"))),
        "open files": len(list((own / "fd").iterdir())),
        "threads": threading.active_count(),
        "MB of this process": _resident(own) // 1024,
        "MB of the engine": sum(_resident(path) for path in _engine_processes()) // 1024,
    }


def _anonymous_volumes(engine: Engine) -> list[object]:
    with engine.faults():
        return [volume for volume in engine.api.volumes()["Volumes"] or () if not volume["Labels"]]


def _engine_processes() -> list[Path]:
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if (path / "comm").read_text().strip() in {"dockerd", "containerd"}:
                found.append(path)
        except OSError:
            continue  # it has just ended
    return found


def _resident(process: Path) -> int:
    """Return the KiB of memory that a process uses."""
    status = (process / "status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
