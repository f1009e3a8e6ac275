"""`python3 -m guest`: start the desktop and answer for it until told to end."""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import signal
import socket
import sys
import threading
from pathlib import Path

from . import __version__, memory
from .desktop import Desktop
from .osworld import OsworldRoutes
from .routes import RogueRoutes
from .server import GuestServer

_PR_SET_DUMPABLE = 4
PROGRAMS = Path("/etc/rogue/session-programs.json")
TOKEN_VARIABLE = "ROGUE_TOKEN"  # noqa: S105  # the name of it, not the token


def main() -> None:
    """Run the guest."""
    options = _options()
    _forget_current_folder()
    protected = _hide_memory()
    memory.keep_freed()
    token = _read_token(options.token_fd)
    listener = _listen(options)
    desktop = Desktop(
        width=options.width,
        height=options.height,
        attach=options.attach,
        programs=options.programs,
        evidence=options.evidence,
        protected=protected,
    )
    routes = {**RogueRoutes(desktop).table(), **OsworldRoutes(desktop).table()}
    server = GuestServer(listener, token, routes, desktop.farewell)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
    desktop.session.start()
    try:
        server.serve_forever()
    finally:
        desktop.close()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="guest", description="The program inside a desktop of pytest-rogue.")
    parser.add_argument("--version", action="version", version=f"pytest-rogue guest {__version__}")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--listen-fd", type=int, metavar="N", help="an inherited socket that listens already")
    where.add_argument("--listen-unix", type=Path, metavar="PATH", help="a UNIX socket to make")
    where.add_argument("--listen-tcp", metavar="HOST:PORT", help="port 0 for any; the port is printed")
    parser.add_argument("--token-fd", type=int, metavar="N", help=f"where the token is read; else ${TOKEN_VARIABLE}")
    parser.add_argument("--width", type=int, default=1920)
    parser.add_argument("--height", type=int, default=1080)
    parser.add_argument("--attach", action="store_true", help="use the display and the bus that are there")
    parser.add_argument("--programs", type=Path, metavar="PATH", default=PROGRAMS, help="what else a session starts")
    parser.add_argument("--evidence", type=Path, metavar="PATH", help="a new file to write the evidence to as well")
    return parser.parse_args()


def _forget_current_folder() -> None:
    """Import nothing from the folder we were started in, which may be the home of the desktop's user."""
    ours = str(Path(__file__).resolve().parents[1])
    sys.path[:] = [folder for folder in sys.path if folder == ours or Path(folder).resolve() != Path.cwd()]


def _hide_memory() -> bool:
    """Keep programs of the same user from reading this process; return whether that holds."""
    hidden = ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0
    return hidden and os.geteuid() != 0


def _read_token(descriptor: int | None) -> str:
    """Return the token, and leave it nowhere else."""
    token = os.environ.pop(TOKEN_VARIABLE, "")
    if descriptor is not None:
        with contextlib.suppress(OSError), os.fdopen(descriptor) as file:
            token = file.read().strip()
    if not token:
        sys.exit(f"guest: no token: give it through --token-fd or ${TOKEN_VARIABLE}")
    return token


def _listen(options: argparse.Namespace) -> socket.socket:
    """Return a listening socket."""
    try:
        if options.listen_fd is not None:
            listener = socket.socket(fileno=options.listen_fd)
            listener.listen(64)
            return listener
        if options.listen_unix:
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(str(options.listen_unix))
            options.listen_unix.chmod(0o600)
            listener.listen(64)
            return listener
        host, _, port = options.listen_tcp.rpartition(":")
        listener = socket.create_server((host or "127.0.0.1", int(port)), backlog=64)
    except (OSError, ValueError) as error:
        sys.exit(f"guest: cannot listen: {error}")
    sys.stdout.write(json.dumps({"listening": list(listener.getsockname()[:2])}) + "\n")
    sys.stdout.flush()
    return listener


if __name__ == "__main__":
    main()
