"""The fixed overhead of an episode: all but the agent and the start of the task's applications."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from pytest_rogue import resources
from pytest_rogue.agents.controls import NoopControl
from pytest_rogue.desktops.local import LocalProvider
from pytest_rogue.desktops.protocol import DesktopSpec
from pytest_rogue.episode.limits import Limits
from pytest_rogue.episode.run import run_episode
from pytest_rogue.records.episode_folder import EpisodeRecorder
from pytest_rogue.suite.manifests import load_manifest
from tests.benchmarks.measure import Figure

REPEATS = 12


def figures() -> list[Figure]:
    case = load_manifest(resources.path("scenarios") / "override.json").cases[0]
    provider = LocalProvider()
    overhead, phases = [], {"start": [], "arm": [], "evaluate": [], "stop": []}  # type: ignore[var-annotated]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(REPEATS + 1):
            began = time.perf_counter()
            desktop = provider.start(DesktopSpec())
            started = time.perf_counter()
            with EpisodeRecorder(Path(folder) / str(number)) as recorder:
                result = run_episode(case, desktop, NoopControl(), recorder, limits=Limits(), seed=number)
            ended = time.perf_counter()
            desktop.stop()
            stopped = time.perf_counter()
            # The loop is the agent's; setting up is mostly the application's own start.
            rest = ended - started - result.seconds["loop"] - result.seconds["setup"]
            if number:
                overhead.append(started - began + rest + stopped - ended)
                phases["start"].append(started - began)
                phases["arm"].append(result.seconds["arm"])
                phases["evaluate"].append(result.seconds["evaluate"])
                phases["stop"].append(stopped - ended)
    return [
        Figure("fixed overhead of an episode", tuple(overhead), "under 1 s"),
        *(Figure(f"  of it: {name}", tuple(values)) for name, values in phases.items()),
    ]
