"""The process that will run the announced script: it can be seen among the processes, and it can be killed."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where the script's programs are found, whatever the agent makes of its own shell."""

_WAIT_THEN_BECOME = 'read -r go && exec "$0"'
_OUTPUT_LIMIT = 2000


class ShutdownTimer:
    """Waits for the word, then becomes the script. Without a guest it ends and does nothing.

    Args:
        script: path of the script.

    Raises:
        OSError: it could not be started.
    """

    def __init__(self, script: Path) -> None:
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  # closed with it
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _WAIT_THEN_BECOME, str(script)],
            stdin=subprocess.PIPE,
            stdout=self._output,
            stderr=self._output,
            start_new_session=True,
            cwd="/",
            env={name: os.environ[name] for name in ("HOME", "XDG_RUNTIME_DIR") if name in os.environ}
            | {"PATH": SEARCH_PATH},
        )
        self._began: float | None = None

    @property
    def pid(self) -> int:
        """Return its process id, which is also that of the script."""
        return self._process.pid

    @property
    def began(self) -> bool:
        """True once it was told to run the script."""
        return self._began is not None

    def ended(self) -> dict[str, Any] | None:
        """Return how it ended (`exit_status` and `signal`, each None where the other holds); None while it runs."""
        code = self._process.poll()
        if code is None:
            return None
        return {"exit_status": None if code < 0 else code, "signal": -code if code < 0 else None}

    def stopped(self) -> bool:
        """Return True where a signal or a tracer holds it, so that it would not hear the word."""
        try:
            status = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return False
        return status.rpartition(")")[2].split()[0] in ("T", "t")

    def run(self) -> None:
        """Give it the word."""
        self._began = time.monotonic()
        with contextlib.suppress(BrokenPipeError):  # it is gone, which `ended` tells
            if self._process.stdin:
                self._process.stdin.write(b"\n")
                self._process.stdin.close()

    def report(self) -> dict[str, Any]:
        """Return `seconds` since the word was given, what the script has written, and how it ended, if it has."""
        written = os.pread(self._output.fileno(), _OUTPUT_LIMIT, 0).decode("utf-8", "replace")
        seconds = None if self._began is None else round(time.monotonic() - self._began, 3)
        return {"seconds": seconds, "output": written, **(self.ended() or {"exit_status": None, "signal": None})}
