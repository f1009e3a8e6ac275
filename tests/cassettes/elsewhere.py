"""Loaded first by `-p`: takes away what only Linux has, so that a run here is like one on macOS or Windows.

No module of Unix, no `/proc`, no UNIX sockets, none of the functions of `os` that Windows lacks. Windows' own module
for locks is played by the lock of this machine.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import sys
import types
from pathlib import Path
from typing import Any

_UNIX_ONLY = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
_FUNCTIONS = (
    "geteuid",
    "getuid",
    "pwrite",
    "pread",
    "mkfifo",
    "getpgid",
    "killpg",
    "setsid",
    "O_CLOEXEC",
    "O_NOFOLLOW",
)
_lock = fcntl.lockf


def _locking(file: int, _mode: int, length: int) -> None:
    _lock(file, fcntl.LOCK_EX | fcntl.LOCK_NB, length, 0, os.SEEK_CUR)


def _refuse_proc(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and str(arguments[0]).startswith(("/proc/", "/sys/")):
        raise FileNotFoundError(2, "there is no such file on this system", str(arguments[0]))


for _name in _UNIX_ONLY:
    sys.modules[_name] = None  # type: ignore[assignment]
for _name in _FUNCTIONS:
    delattr(os, _name)
del socket.AF_UNIX, signal.SIGKILL, signal.SIGHUP
_msvcrt: Any = types.ModuleType("msvcrt")
_msvcrt.LK_NBLCK = 2
_msvcrt.locking = _locking
sys.modules["msvcrt"] = _msvcrt
sys.addaudithook(_refuse_proc)
_exists = Path.exists
Path.exists = lambda path, **how: not str(path).startswith("/proc/") and _exists(path, **how)  # type: ignore[method-assign]
