"""Who opens a file: a watch that needs no privilege.

The kernel tells of each opening (inotify), but not who opens. So the watch also holds a write lease on each file: a
program that opens one is made to wait in `open` until the lease is given up, and is looked for while it waits. One that
does not wait (`O_NONBLOCK`: tar, and grep on its way through folders) gets an error, as it would at any leased file,
and reads nothing; it may try again, since the file is then left without a lease for a while.

Without a lease, and while somebody has the file open, whoever opens it is looked for among those who have it open. Who
has closed it already by then is taken for the program that was let through last, if that was a moment ago (many open a
file twice, to know its type and to read it) and it has not had the file open all the while; else it stays unknown.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import select
import signal
import struct
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .openers import Opener, holding, waiting_at_a_lease

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_OPEN, _READ, _CLOSE = 0x20, 0x01, 0x08 | 0x10
_EVENTS = {0x02: "changed", 0x04: "attributes", _OPEN: "opened", 0x800: "moved", 0x400: "deleted"}
_CLOEXEC = 0o2000000
_OVERFLOW = 0x4000
_OWNED_BY_THREAD, _SET_OWNER = 0, 15
_SIGNAL = signal.SIGIO
_FIND_LIMIT = 2.0
"""Seconds in which a program that waits at a lease is found; it is there at once, or it did not wait."""
_RETRY, _RETRY_SOON, _SOON = 0.05, 0.001, 0.05
"""Seconds between two tries to hold a lease again, and what they are in the first moments after something happened."""
_MOMENT = 5.0
"""Seconds in which a program may open a file once more before the lease is held again."""
_LEFT_ALONE = 20.0
"""Seconds without a lease after somebody could not open the file because of it."""
_HEAD = struct.Struct("iIII")


@dataclass(frozen=True, slots=True)
class FileEvent:
    """Something that happened to a watched file.

    Attributes:
        path: as it was given to the watch, also where the file was moved since.
        what: `opened`, `refused` (to a program that would not wait), `changed` (written to), `attributes` (permissions,
            owner), `moved`, or `deleted`.
        opener: of `opened`, the program where it could be found.
    """

    path: str
    what: str
    opener: Opener | None = None


@dataclass(slots=True)
class _Watched:
    path: str
    descriptor: int
    identity: tuple[int, int]
    leased: bool = False
    found: list[Opener] = field(default_factory=list)
    """Those who waited at the lease and whose opening inotify has still to tell."""
    told: set[int] = field(default_factory=set)
    """Processes that were told to have opened it since it was last leased."""
    still_open: int = 0
    """How many of the openings that were told have not been closed yet."""
    last: Opener | None = None
    last_at: float = 0.0
    lease_from: float = 0.0


class FileWatch:
    """Watches files from now on, in a thread of its own.

    Args:
        paths: of files that are there and belong to this user.
        on_event: is called in that thread for every event, while an opener may still wait: it should be short.

    Raises:
        OSError: a file cannot be opened, or the kernel has no watch left.
    """

    def __init__(self, paths: Sequence[str], on_event: Callable[[FileEvent], None]) -> None:
        self._on_event = on_event
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._files: dict[int, _Watched] = {}
        self._idle = threading.Event()
        self._ready = threading.Event()
        self._closing = False
        self.problem = ""
        self._inotify = self._checked(self._libc.inotify_init1(_CLOEXEC), "inotify")
        try:
            for path in paths:
                self._add(path)
        except OSError:
            self._release()
            raise
        self._wake, self._waker = os.pipe()
        self._thread = threading.Thread(target=self._run, name="file-watch", daemon=True)
        self._thread.start()
        self._ready.wait()

    def settle(self, limit: float = 10.0) -> bool:
        """Wait until all that has happened so far was told; return False where that took longer than `limit`."""
        if self._closing:
            return True
        self._idle.clear()
        os.write(self._waker, b"?")
        return self._idle.wait(limit)

    def close(self) -> None:
        """End the watch; may be called more than once."""
        if self._closing:
            return
        self._closing = True
        os.write(self._waker, b"!")
        self._thread.join()
        self._release()
        os.close(self._wake)
        os.close(self._waker)

    # --- set up and taken down --------------------

    def _checked(self, answer: int, what: str) -> int:
        if answer < 0:
            number = ctypes.get_errno()
            raise OSError(number, f"{os.strerror(number)} ({what})")
        return answer

    def _add(self, path: str) -> None:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            # Reading tells nothing, but keeps two openings apart, which the kernel else may tell as one.
            mask = _READ | _CLOSE | sum(_EVENTS)
            number = self._checked(self._libc.inotify_add_watch(self._inotify, os.fsencode(path), mask), path)
        except OSError:
            os.close(descriptor)
            raise
        status = os.fstat(descriptor)
        self._files[number] = _Watched(path, descriptor, (status.st_dev, status.st_ino))

    def _release(self) -> None:
        for file in self._files.values():
            os.close(file.descriptor)  # which gives up its lease
        os.close(self._inotify)

    # --- in the thread --------------------

    def _run(self) -> None:
        # Signals of the leases go to this thread alone, which reads them as a file.
        signal.pthread_sigmask(signal.SIG_BLOCK, [_SIGNAL])
        self._owner = struct.pack("ii", _OWNED_BY_THREAD, threading.get_native_id())
        signals = self._open_signals()
        self._hold_again()
        self._ready.set()
        waiting = select.poll()
        for descriptor in (self._inotify, signals, self._wake):
            waiting.register(descriptor, select.POLLIN)
        last = 0.0
        while not self._closing:
            pause = self._pause(time.monotonic() - last)
            ready = {descriptor for descriptor, _ in waiting.poll(pause)}
            if signals in ready:
                os.read(signals, 128 * 64)
                self._give_way()
            if self._inotify in ready:
                self._tell(os.read(self._inotify, 1 << 16))
                last = time.monotonic()
            self._hold_again()
            if ready == {self._wake}:  # nothing else was there when somebody asked
                os.read(self._wake, 4096)
                self._idle.set()
        os.close(signals)

    def _pause(self, quiet: float) -> float | None:
        """Return how many milliseconds to wait for an event at most, None for as long as it takes."""
        if all(file.leased for file in self._files.values()):
            return None
        return 1000 * (_RETRY_SOON if quiet < _SOON else _RETRY)

    def _open_signals(self) -> int:
        mask = (ctypes.c_uint64 * 16)(1 << (_SIGNAL - 1))
        return self._checked(self._libc.signalfd(-1, mask, _CLOEXEC), "signalfd")

    def _give_way(self) -> None:
        """Find who waits at a lease, and let go of it."""
        for file in self._files.values():
            if file.leased and fcntl.fcntl(file.descriptor, fcntl.F_GETLEASE) != fcntl.F_WRLCK:
                file.found = waiting_at_a_lease(_FIND_LIMIT)
                # One who was let through may not have opened it yet, and would have to wait once more.
                file.lease_from = time.monotonic() + _LEFT_ALONE
                file.leased = False
                fcntl.fcntl(file.descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
                if not file.found:
                    self._on_event(FileEvent(file.path, "refused"))

    def _hold_again(self) -> None:
        """Lease what nobody has open."""
        for file in self._files.values():
            if file.leased or time.monotonic() < file.lease_from:
                continue
            try:
                fcntl.fcntl(file.descriptor, _SET_OWNER, self._owner)  # it is forgotten with each lease
                fcntl.fcntl(file.descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            except OSError:
                continue  # somebody has it open
            file.leased = True
            self._tell_what_is_there()  # of before: who comes now has to wait
            file.told.clear()
            file.last = None

    def _tell_what_is_there(self) -> None:
        while select.select([self._inotify], [], [], 0)[0]:
            self._tell(os.read(self._inotify, 1 << 16))

    def _tell(self, events: bytes) -> None:
        position = 0
        while position < len(events):
            number, mask, _, length = _HEAD.unpack_from(events, position)
            position += _HEAD.size + length
            if mask & _OVERFLOW:
                self.problem = "the kernel dropped events of the watched files"
            elif file := self._files.get(number):
                if mask & _CLOSE:
                    file.still_open = max(0, file.still_open - 1)
                for bit, what in _EVENTS.items():
                    if mask & bit:
                        opener = self._opener(file) if bit == _OPEN else None
                        if opener is None or opener.pid != os.getpid():
                            self._on_event(FileEvent(file.path, what, opener))

    def _opener(self, file: _Watched) -> Opener | None:
        if file.found:
            opener: Opener | None = file.found.pop(0)
            if not file.found:
                file.lease_from = 0.0
        else:
            opener = self._guess(file)
        file.last, file.last_at = opener, time.monotonic()
        file.still_open += 1
        if opener:
            file.told.add(opener.pid)
        return opener

    @staticmethod
    def _guess(file: _Watched) -> Opener | None:
        """Return who opened a file that was not leased."""
        there = list(holding(file.identity))
        if new := [opener for opener in there if opener.pid not in file.told]:
            return new[0]
        apart = file.last not in there or not file.still_open  # what it has open now, it has opened since
        return file.last if apart and time.monotonic() - file.last_at < _MOMENT else None
