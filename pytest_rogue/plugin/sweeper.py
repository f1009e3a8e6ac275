"""Removes what desktops left behind: at the start what a killed machine or run left, at the end what this run did.

It stands beside the controller, and acts on every way out that leaves the process alive: the normal end, Ctrl-C,
SIGTERM, a worker that died. What `kill -9` leaves is removed by the next run.
"""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rogue.errors import RogueError
from pytest_rogue.plugin.keys import RUN, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Generator


class Sweeper:
    """Registered on the controller only, after it.

    Args:
        config: pytest's.
        problems: sentences for the end of the run; what could not be removed is added.
    """

    def __init__(self, config: pytest.Config, problems: list[str]) -> None:
        self._config = config
        self._problems = problems
        self._sigterm: Any = None

    def pytest_sessionstart(self) -> None:
        """Take SIGTERM for Ctrl-C, so that it ends the run in order; then remove what earlier runs left."""
        on_main_thread = threading.current_thread() is threading.main_thread()
        if on_main_thread and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            self._sigterm = signal.signal(signal.SIGTERM, signal.default_int_handler)
        self._sweep(all_runs=True)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self) -> Generator[None, object, object]:
        """Remove what this run left, when its fixtures and workers are gone and before the summary is written."""
        try:
            return (yield)
        finally:
            self._sweep(all_runs=False)

    def pytest_unconfigure(self) -> None:
        """Give SIGTERM back."""
        if self._sigterm is not None:
            signal.signal(signal.SIGTERM, self._sigterm)

    def _sweep(self, *, all_runs: bool) -> None:
        from pytest_rogue.desktops.reaper import give_up_dead_leases, remove_leftovers
        from pytest_rogue.plugin.registry import provider_for

        run = self._config.stash[RUN]
        if run is None or "desktop" not in self._config.stash[SETTINGS].mode:
            return
        try:
            with provider_for(self._config, self._config.stash[SETTINGS]) as provider:
                remove_leftovers([provider], None if all_runs else run.folder.run_id, dry_run=False)
                give_up_dead_leases(run.leases(), provider)
        except RogueError as error:
            self._problems.append(str(error))
