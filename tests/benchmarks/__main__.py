"""`make bench`: the figures that the documentation speaks of, measured here and now, as one table."""

from __future__ import annotations

import sys

from tests.benchmarks import collection, desktop, episode
from tests.benchmarks.measure import Figure, table

ROOMS = {"episode": episode.figures, "desktop": desktop.figures, "collection": collection.figures}


def main(chosen: list[str]) -> int:
    figures: list[Figure] = []
    for name in chosen or ROOMS:
        sys.stderr.write(f"measuring {name} ...\n")
        figures += ROOMS[name]()
    sys.stdout.write("\n".join(table(figures)) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
