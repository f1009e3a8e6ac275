"""How the host reaches the guest in a container of this machine: it hands a listening socket in.

Only one thing is mounted into the container, read-only: a UNIX socket at which the host waits once. The container's
first process connects, and gets its program, the token, and a socket without a name on disk that listens already; after
that the mounted one is gone. So no port is published, no network is needed, nothing of the host can be written from
the container, and the token stands in no command line, environment, or file.
"""

from __future__ import annotations

import os
import select
import shutil
import socket
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_rogue.desktops.owner import Owner
from pytest_rogue.errors import DesktopStartError

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER_PREFIX = "pytest-rogue-door-"

_OWNER = "owner"
"""File beside the socket that says whose it is."""


class HandedDoor:
    """The host's end of one door.

    Args:
        name: of the listening socket, in the abstract namespace; begins with a NUL character.
        token: what the guest will ask for.

    Raises:
        DesktopStartError: the sockets cannot be made.
    """

    def __init__(self, name: str, token: str) -> None:
        self._token = token
        self._lifeline: socket.socket | None = None
        self._listener = socket.socket(socket.AF_UNIX)
        self._waiting = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._folder: Path | None = None
        try:
            self._folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX, dir=runtime_folder()))
            (self._folder / _OWNER).write_text(str(Owner.this_process()), encoding="utf-8")
            self._listener.bind(name)
            self._listener.listen(64)
            self._waiting.bind(str(self.path))
            self.path.chmod(0o666)  # the user inside is another one; only we can enter the folder on the host
            self._waiting.listen(1)
        except OSError as error:
            self.close()
            raise DesktopStartError(
                f"the door of a desktop cannot be made in {runtime_folder()}: {error}; free some space or files there"
            ) from error

    @property
    def path(self) -> Path:
        """The socket to mount."""
        assert self._folder is not None  # noqa: S101 - set before anybody can ask
        return self._folder / "door"

    def hand_over(self, program: bytes, timeout: float, alive: Callable[[], bool]) -> None:
        """Wait for the container's first process, and give it its program, the token, and the listening socket.

        Args:
            program: text of `docker_entry`.
            timeout: seconds to wait.
            alive: tells whether there is still somebody to wait for.

        Raises:
            DesktopStartError: nobody came.
        """
        deadline = time.monotonic() + timeout
        coming = select.poll()
        coming.register(self._waiting, select.POLLIN)
        while not coming.poll(200):
            if not alive():
                raise DesktopStartError("the desktop's container ended before its guest was there")
            if time.monotonic() > deadline:
                raise DesktopStartError(f"the desktop's container did not call within {timeout:g} s")
        self._lifeline, _ = self._waiting.accept()
        self._lifeline.sendall(program)
        socket.send_fds(self._lifeline, [self._token.encode()], [self._listener.fileno()])
        # From now on the guest alone holds the listener: connections are refused as soon as it is gone.
        self._close_what_is_done()

    def close(self) -> None:
        """Close everything; the container ends by it. May be called again."""
        self._close_what_is_done()
        if self._lifeline is not None:
            self._lifeline.close()

    def _close_what_is_done(self) -> None:
        self._listener.close()
        self._waiting.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def runtime_folder() -> Path:
    """Return where short-lived sockets go: short, because a socket's path has at most 107 bytes."""
    folder = Path(os.environ.get("XDG_RUNTIME_DIR") or "/tmp")  # noqa: S108 - what goes there is a private folder
    return folder if folder.is_dir() else Path("/tmp")  # noqa: S108


def abandoned_doors() -> list[Path]:
    """Return folders of doors whose process was killed in the short time in which a door exists."""
    return [folder for folder in runtime_folder().glob(f"{FOLDER_PREFIX}*") if _is_abandoned(folder)]


def _is_abandoned(folder: Path) -> bool:
    try:
        if folder.stat().st_uid != os.geteuid():
            return False
        owner = Owner.parse((folder / _OWNER).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return False  # it is just coming or going
    return owner is not None and owner.is_dead()
