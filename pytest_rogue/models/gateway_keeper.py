"""Starts the gateway of a run, and another one where it dies. Belongs to the process that conducts the run.

The keeper owns the socket on which the gateway is asked. So whoever asks while there is no gateway waits at the door,
is noticed there, and is answered by the next one.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import asdict
from multiprocessing.connection import wait
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from pytest_rogue.models.gateway_wire import Door
from pytest_rogue.secrets import Secret, scrub

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_rogue.models.budget import Limits
    from pytest_rogue.models.prices import Price
    from pytest_rogue.records.run_folder import RunFolder

MOST_STARTS = 5
"""A gateway that dies again and again is not started again for ever."""

PROGRAM = (sys.executable, "-P", "-m", "pytest_rogue.models.gateway")

_PATIENCE = 5.0
_LONGEST_PATH = 70
"""Characters; a socket's whole path may have about 100."""

_WAITING = 256
"""Requests that may wait at the door."""


class GatewayKeeper:
    """Keeps the gateway of a run; with `close` it is gone, and with this process too, whatever ends it.

    Args:
        folder: of the run.
        limits: what the run may use.
        prices: that the user gives, by model.
        program: what is started; tests put one here that dies when they want it.
    """

    def __init__(
        self,
        folder: RunFolder,
        limits: Limits,
        prices: Mapping[str, Price],
        *,
        program: Sequence[str] = PROGRAM,
    ) -> None:
        self._log = folder.path / "gateway.log"
        self._program = program
        self._environment = dict(os.environ)  # as it is now, with the keys
        self._place = _private_folder()
        self.door = Door(str(self._place / "models"), Secret(secrets.token_hex(16), "gateway"))
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.door.address)
        self._listener.listen(_WAITING)
        self._bell, self._button = socket.socketpair()
        self._orders: dict[str, Any] = {
            "socket": self._listener.fileno(),
            "store": str(folder.store),
            "token": self.door.token.reveal(),
            "limits": asdict(limits),
            "prices": {model: asdict(price) for model, price in prices.items()},
        }
        self._lock = threading.Lock()
        self._closed = False
        self._process: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._keep, name="pytest-rogue-gateway", daemon=True)

    def start(self, *, at_once: bool) -> None:
        """Begin to keep a gateway; the first one is started at once, or when the first request waits."""
        if at_once:
            self._spawn()
        self._thread.start()

    def close(self) -> None:
        """End the gateway and remove its socket; may be called again."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            process = self._process
        self._button.close()
        if process is not None:
            _hang_up(process)
            self._thread.join(_PATIENCE)
            process.kill()  # nothing where it has ended
        self._thread.join()
        self._listener.close()
        self._bell.close()
        shutil.rmtree(self._place, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _keep(self) -> None:
        for _ in range(MOST_STARTS):
            if self._process is None and not self._somebody_waits():
                return
            process = self._process or self._spawn()
            if process is None:
                return
            said = _outlived(process)
            self._file_away(process.returncode)
            if self._closed or not said:  # one that never began will not begin another time
                break
            self._process = None
        self._listener.close()  # whoever waits is told by that

    def _somebody_waits(self) -> bool:
        return self._bell not in wait([self._listener, self._bell])

    def _spawn(self) -> subprocess.Popen[str] | None:
        """Start a gateway, unless the keeper was closed meanwhile."""
        with self._lock:
            if self._closed:
                return None
            with (self._place / "stderr").open("wb") as errors:
                process = self._process = subprocess.Popen(
                    self._program,
                    env=self._environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    text=True,
                    pass_fds=[self._listener.fileno()],
                    start_new_session=True,  # Ctrl-C is for us, and ends it by closing its standard input
                )
        with suppress(BrokenPipeError):  # it died already, which is noticed in a moment
            _pipe(process.stdin).write(json.dumps(self._orders) + "\n")
            _pipe(process.stdin).flush()
        return process

    def _file_away(self, status: int) -> None:
        """Keep what a gateway had to say, and how it ended where nobody asked it to."""
        with suppress(OSError):  # of a full disk others tell, who lose more by it
            said = (self._place / "stderr").read_text(errors="replace")
            ended = "" if self._closed else f"the gateway ended with status {status}\n"
            if said or ended:
                with self._log.open("a") as log:
                    log.write(scrub(said + ended))


def _private_folder() -> Path:
    """Make a folder that only its owner may enter, with a path short enough for a socket in it."""
    room = tempfile.gettempdir()
    return Path(tempfile.mkdtemp(prefix="pytest-rogue-", dir=room if len(room) <= _LONGEST_PATH else "/tmp"))  # noqa: S108 - a folder with a random name in it


def _outlived(process: subprocess.Popen[str]) -> str:
    """Wait until a process has ended; return what it wrote."""
    with _pipe(process.stdout) as out:
        said = out.read()
    process.wait()
    _hang_up(process)
    return said


def _hang_up(process: subprocess.Popen[str]) -> None:
    """Close a gateway's standard input, which ends it."""
    with suppress(BrokenPipeError):
        _pipe(process.stdin).close()


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None  # noqa: S101 - it was asked for
    return stream
