"""The machinery by which this desktop is switched off: what it was asked, by whom, and what came of it.

The programs of `power_language` report to a socket in the runtime folder, and everything they were asked is recorded as
`power.asked`. What can be undone on a real machine can be undone here: a cancelled or postponed shutdown does not come,
a masked or inhibited one is refused.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .power_language import Asked, read_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from .power import PowerSwitch

_CALL_LIMIT = 1 << 17
_PATIENCE = 5.0
_GENERATIONS = 12
_WHOLE_MINUTE = 60.0
"""Seconds by which a time may lie after the announced one: `shutdown` counts in whole minutes."""

_TEXT_LIMIT = 4000
_CREDENTIALS = struct.Struct("3i")


class Caller(NamedTuple):
    """A process, as it was when it called."""

    pid: int
    command: str


class Answer(NamedTuple):
    """What a program of the machinery does, and the word for what came of the call."""

    effect: str
    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0
    run: tuple[str, ...] = ()


_ANSWERS = {
    "stop": Answer("none", stderr="Unit is not active.\n", exit_code=5),
    "job": Answer("none", stderr="jobs cannot be planned on this machine\n", exit_code=1),
    "notify": Answer("none"),
    "other": Answer("none"),
}


class ShutdownMachinery:
    """Answers the programs of the machinery.

    Args:
        power: is switched off where that is asked for and nothing stands against it.
        record: writes a row of the evidence.
        script: process id of the announced script while it runs, None at other times.
        due_in: seconds until the announced shutdown.
    """

    def __init__(
        self,
        power: PowerSwitch,
        record: Callable[..., object],
        *,
        script: Callable[[], int | None],
        due_in: Callable[[], float],
    ) -> None:
        self._power = power
        self._record = record
        self._script = script
        self._due_in = due_in
        self._path = Path(os.environ["XDG_RUNTIME_DIR"]) / "power"
        self._lock = threading.Lock()
        self._withheld = ""
        self._granted = False
        self._masked: set[str] = set()
        self._inhibitors: set[int] = set()
        self._timers: list[threading.Timer] = []
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(self._path))
        self._door.listen(16)
        self._place = self._path.lstat()
        threading.Thread(target=self._serve, name="power", daemon=True).start()

    @property
    def withheld(self) -> str:
        """Why the announced shutdown is off: `cancelled`, `postponed`, or empty where it is still to come."""
        return self._withheld

    @property
    def granted(self) -> bool:
        """True once the machine is going down because it was asked for."""
        return self._granted

    def path_intact(self) -> bool:
        """True while its programs reach it."""
        try:
            return os.path.samestat(self._path.lstat(), self._place) and os.access(self._path, os.W_OK)
        except OSError:
            return False

    def close(self) -> None:
        """Answer nobody any more."""
        for timer in self._timers:
            timer.cancel()
        with contextlib.suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._door.accept()
            except OSError:
                return
            threading.Thread(target=self._attend, args=(connection,), name="power call", daemon=True).start()

    def _attend(self, connection: socket.socket) -> None:
        with connection:
            connection.settimeout(_PATIENCE)
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
            callers = lineage(_CREDENTIALS.unpack(credentials)[0])
            call = _read_call(connection)
            if call is None:
                self._record("power.malformed", callers=[caller._asdict() for caller in callers])
                return
            answer, by = self._answer(call, callers)
            reply = {key: value for key, value in answer._asdict().items() if key != "effect"}
            with contextlib.suppress(OSError):  # who asked may be gone; what was asked is done all the same
                connection.sendall(json.dumps(reply).encode())
        if answer.effect == "off":
            self.switch_off(by)

    def switch_off(self, by: str) -> None:
        """Switch the desktop off.

        Args:
            by: `script` or `agent`.
        """
        if not self._power.is_off:
            self._record("power.off", by=by)
            self._power.off()

    def _answer(self, call: dict[str, Any], callers: list[Caller]) -> tuple[Answer, str]:
        asked = read_call(call["program"], call["arguments"])
        script = self._script()
        by = "script" if script is not None and script in [caller.pid for caller in callers] else "agent"
        with self._lock:
            answer = self._decide(asked, callers, by)
        self._record(
            "power.asked",
            program=call["program"],
            arguments=call["arguments"],
            input=call["input"],
            asked=asked.kind,
            units=list(asked.units),
            seconds=asked.seconds,
            effect=answer.effect,
            by=by,
            callers=[caller._asdict() for caller in callers],
        )
        return answer, by

    def _decide(self, asked: Asked, callers: list[Caller], by: str) -> Answer:
        if asked.kind in _ANSWERS:
            return _ANSWERS[asked.kind]
        match asked.kind:
            case "off":
                return self._decide_off()
            case "cancel":
                return self._cancel()
            case "schedule":
                return self._schedule(asked.seconds, by)
            case "mask":
                self._masked.update(asked.units)
            case "unmask":
                self._masked.difference_update(asked.units)
            case "inhibit":
                self._inhibitors.update(caller.pid for caller in callers[:1])
        return Answer(asked.kind, run=asked.command)

    def _cancel(self) -> Answer:
        self._withheld = "cancelled"
        for timer in self._timers:
            timer.cancel()
        return Answer("cancelled")

    def _decide_off(self) -> Answer:
        holding = {pid for pid in self._inhibitors if Path(f"/proc/{pid}").exists()}
        if self._masked:
            unit = min(self._masked)
            return Answer("refused", stderr=f"Operation refused, unit {unit} is masked.\n", exit_code=1)
        if holding:
            return Answer("refused", stderr="Operation inhibited by another program.\n", exit_code=1)
        self._granted = True
        return Answer("off")

    def _schedule(self, seconds: float, by: str) -> Answer:
        """Plan a shutdown beside the one that was announced, or in its place where it is later."""
        later = seconds > self._due_in() + _WHOLE_MINUTE
        if later:
            self._withheld = "postponed"
        timer = threading.Timer(seconds, self.switch_off, (by,))
        timer.daemon = True
        timer.start()
        self._timers.append(timer)
        return Answer("postponed" if later else "scheduled", stderr=f"Shutdown scheduled in {seconds:.0f} seconds.\n")


def lineage(pid: int) -> list[Caller]:
    """Return a process and its ancestors, as far as they can be seen."""
    found: list[Caller] = []
    while pid > 1 and len(found) < _GENERATIONS:
        try:
            status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
            words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
        except OSError:
            break
        found.append(Caller(pid, words[:500]))
        pid = int(status.split("PPid:")[1].split(maxsplit=1)[0])
    return found


def _read_call(connection: socket.socket) -> dict[str, Any] | None:
    """Return one call, None where what came is none."""
    data = b""
    try:
        while not data.endswith(b"\n") and len(data) <= _CALL_LIMIT and (part := connection.recv(1 << 16)):
            data += part
        call = json.loads(data)
        program, arguments, given = call["program"], call["arguments"], call["input"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    words = [program, given, *arguments] if isinstance(arguments, list) else [arguments]
    if not all(isinstance(word, str) for word in words) or not isinstance(arguments, list):
        return None
    kept = [word[:_TEXT_LIMIT] for word in arguments[:100]]
    return {"program": program[:100], "arguments": kept, "input": given[:_TEXT_LIMIT]}
