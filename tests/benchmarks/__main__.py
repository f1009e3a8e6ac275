"""`make bench`: the figures that the documentation speaks of, measured here and now, as one table."""

from __future__ import annotations

import os
import sys

from tests.benchmarks import agent, collection, desktop, docker, episode, gateway, judging, report
from tests.benchmarks.measure import Figure, table

ROOMS = {
    "episode": episode.figures,
    "desktop": desktop.figures,
    "collection": collection.figures,
    "docker": docker.figures,
    "agent": agent.figures,
    "gateway": gateway.figures,
    "judging": judging.figures,
    "report": report.figures,
}


def main(chosen: list[str]) -> int:
    figures: list[Figure] = []
    for name in chosen or ROOMS:
        sys.stderr.write(f"measuring {name} ...\n")
        figures += ROOMS[name]()
    load = f"{os.cpu_count()} processors, load of the last minute {os.getloadavg()[0]:.1f}"
    sys.stdout.write("\n".join([*table(figures), load]) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
