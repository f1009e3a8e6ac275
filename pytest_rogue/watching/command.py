"""`pytest-rogue watch`: list the desktops that run on this machine, and show them live on a local page."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from pytest_rogue.errors import ConfigError

if TYPE_CHECKING:
    import argparse


def add_watch(commands: Any) -> None:
    """Add the command to argparse's sub-commands."""
    watch = commands.add_parser("watch", help="show the desktops that are running here, live and without touching them")
    watch.add_argument("name", nargs="?", default="", metavar="RUN|DESKTOP", help="only these; all where left out")
    watch.set_defaults(run=_watch)


def _watch(chosen: argparse.Namespace) -> int:
    from pytest_rogue.watching.server import WatchServer

    with WatchServer(chosen.name) as server:
        desktops = server.desktops()
        if not desktops:
            which = f" under the name {chosen.name!r}" if chosen.name else ""
            raise ConfigError(f"no desktop is running here{which}: start a run, and call this again meanwhile")
        for desktop in desktops:
            print(f"{desktop.id}  run {desktop.run}  {desktop.episode}")  # noqa: T201 - a command prints
        print(f"watch at {server.url} (Ctrl-C ends the watching, not the run)", flush=True)  # noqa: T201
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    return 0
