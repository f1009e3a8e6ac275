"""The process that actions are forked from: pyautogui and Xlib are imported once, every action starts fresh.

It is a program of its own, without threads, so that forking is safe. It speaks with `actions` over a socket (its only
argument is the descriptor): it gets the display, answers with what is wrong (empty where it is warm), and then for each
action gets the source and the ends of two pipes, answers with the process id, and later with the exit code.
"""

from __future__ import annotations

import array
import atexit
import ctypes
import gc
import importlib
import json
import linecache
import os
import signal
import socket
import struct
import sys
import threading
import time
import traceback
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

_PR_SET_PDEATHSIG = 1
_LENGTH = struct.Struct("!I")
_SOURCE_NAME = "<action>"


def send(channel: socket.socket, message: object, descriptors: Sequence[int] = ()) -> None:
    """Send a message (what JSON can hold), with descriptors."""
    data = json.dumps(message).encode()
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
    channel.sendmsg([_LENGTH.pack(len(data))], rights)
    channel.sendall(data)


def receive(channel: socket.socket) -> tuple[Any, list[int]]:
    """Receive a message and its descriptors.

    Raises:
        EOFError: the other side is gone.
    """
    head, descriptors, _, _ = socket.recv_fds(channel, _LENGTH.size, 2)
    data = head + _exactly(channel, _LENGTH.size - len(head)) if head else b""
    if not data:
        raise EOFError
    return json.loads(_exactly(channel, _LENGTH.unpack(data)[0])), descriptors


def _exactly(channel: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = channel.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def main() -> None:
    """Serve until the other side is gone."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    try:
        _import_early()
        os.environ["DISPLAY"], _ = receive(channel)
        pyautogui = _import_pyautogui()
    except Exception as error:  # noqa: BLE001  # whatever it is, the user has to hear of it
        send(channel, f"{type(error).__name__}: {error}")
        return
    gc.freeze()  # a collection in a forked process would copy all that is shared
    send(channel, "")
    while True:
        try:
            source, descriptors = receive(channel)
        except (EOFError, ConnectionError):
            return
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            channel.close()
            _become_action(parent, descriptors)
            _end(_run(source, pyautogui))
        for descriptor in descriptors:
            os.close(descriptor)
        send(channel, pid)
        _, status = os.waitpid(pid, 0)
        send(channel, os.waitstatus_to_exitcode(status))


def _import_early() -> None:
    """Import what needs no display, while the X server is still starting."""
    for name in ("pymsgbox", "pytweening", "PIL.ImageGrab", "Xlib.ext.xtest", f"{__package__}.keyboard"):
        importlib.import_module(name)
    pyscreeze: Any = importlib.import_module("pyscreeze")
    pyscreeze.GNOMESCREENSHOT_EXISTS = True  # Pillow then takes screenshots by itself, without a further program


def _import_pyautogui() -> Any:
    import pyautogui

    from . import keyboard

    pyautogui.PAUSE = 0
    pyautogui.FAILSAFE = False
    platform = pyautogui.platformModule
    platform._mouse_is_swapped_setting = False  # noqa: SLF001  # saves a program start at the first click
    keyboard.Keyboard(platform._display).clear_spare_keys()  # noqa: SLF001
    platform._display.close()  # noqa: SLF001  # every action has a connection of its own
    keyboard.install(pyautogui)
    _report_off_screen(pyautogui)
    return pyautogui


def _report_off_screen(pyautogui: Any) -> None:
    """Say so where the pointer is sent off the screen: the X server stops it at the edge without a word."""
    platform = pyautogui.platformModule
    move = platform._moveTo  # noqa: SLF001

    def move_and_report(x: int, y: int) -> None:
        width, height = pyautogui.size()
        if not (0 <= x < width and 0 <= y < height):
            sys.stderr.write(f"({x}, {y}) is outside the screen of {width}x{height}; the pointer stays at its edge\n")
        move(x, y)

    platform._moveTo = move_and_report  # noqa: SLF001


def _become_action(parent: int, descriptors: Sequence[int]) -> None:
    """Make the forked process one of its own, which ends with its parent."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for target, source in zip((1, 2), descriptors, strict=True):
        os.dup2(source, target)
        os.close(source)
    # Line by line, so that what was printed is there although the process is killed.
    sys.stdout = os.fdopen(1, "w", buffering=1, encoding="utf-8", errors="replace")
    sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", errors="replace")
    sys.argv[:] = [_SOURCE_NAME]
    sys.path.insert(0, "")  # as for every program that is not read from a file


def _run(source: str, pyautogui: Any) -> int:
    """Run the source as a program of its own would run: same names, same traceback. Return its exit code."""
    from Xlib.display import Display

    module = types.ModuleType("__main__")
    module.__dict__.update(pyautogui=pyautogui, time=time)
    sys.modules["__main__"] = module
    linecache.cache[_SOURCE_NAME] = (len(source), None, source.splitlines(keepends=True), _SOURCE_NAME)
    try:
        pyautogui.platformModule._display = Display(os.environ["DISPLAY"])  # noqa: SLF001
        exec(compile(source, _SOURCE_NAME, "exec"), module.__dict__)  # noqa: S102  # what this process is for
    except SystemExit as error:
        return _exit_code(error.code)
    except BaseException as error:  # noqa: BLE001  # as the interpreter does at the end of a program
        told = traceback.TracebackException.from_exception(error)
        own = str(Path(__file__).parent)
        told.stack = traceback.StackSummary.from_list([f for f in told.stack if not f.filename.startswith(own)])
        sys.stderr.writelines(told.format())
        return 1
    return 0


def _exit_code(code: object) -> int:
    if code is None or isinstance(code, int):
        return int(code or 0) & 0xFF
    sys.stderr.write(f"{code}\n")
    return 1


def _end(code: int) -> NoReturn:
    """End as a program does, without the 30 ms that freeing all memory takes."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()  # noqa: SLF001  # nothing public runs them
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
