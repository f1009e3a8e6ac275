"""Process 1 of a desktop's container: takes over the door, starts the desktop, and ends with the test run.

The text of this file is sent into the container, so it imports the standard library only. It is not part of the
command line, where every program of the desktop could read it. The first argument says how the host is reached, the
rest is the command that starts the desktop.

`handed`: the host waits at a UNIX socket that is mounted here; after this text it passes the token and a socket that
listens already. `stream`: this text and then the token are lines of standard input, and the guest listens at a socket
of its own.

Either way the host keeps its end open for as long as the desktop is to live. When it closes, because the host has
finished or was killed, everything in here ends, and the engine removes the container.
"""

import contextlib
import ctypes
import os
import select
import signal
import socket
import sys

DOOR = "/door"
"""Where the host's socket is mounted."""

GUEST_SOCKET = "/run/guest/socket"
"""Where the guest listens if the host handed it no socket. Other programs of the desktop lack the token."""

CALL_AT_THE_DOOR = f"import socket; door = socket.socket(1, 5); door.connect({DOOR!r}); exec(door.recv(65536))"
"""The program that fetches this one, from a socket that keeps messages apart (SOCK_SEQPACKET)."""

READ_A_LINE = "exec(bytes.fromhex(open(0, 'rb', 0, closefd=False).readline().decode()))"
"""The program that reads this one, in hex and not one byte further, from standard input."""

_PR_SET_DUMPABLE = 4


def main() -> None:
    """Run the desktop until it ends or the host is gone; the exit code is the desktop's."""
    how, *command = sys.argv[1:]
    # Programs of the same user must not read the token from this process.
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    token, options, inherited, lifeline = _take_door() if how == "handed" else _read_standard_input()
    _make_x_folder()
    token_inside, token_here = os.pipe()
    os.write(token_here, token)
    os.close(token_here)
    inherited = (*inherited, token_inside)
    for descriptor in inherited:
        os.set_inheritable(descriptor, True)
    wakeup = _wake_on_child()
    child = os.posix_spawnp(
        command[0],
        [*command, *options, "--token-fd", str(token_inside)],
        os.environ,
        setsigdef=[signal.SIGCHLD, signal.SIGPIPE],
    )
    for descriptor in inherited:
        os.close(descriptor)
    sys.exit(_watch(child, lifeline, wakeup))


def _take_door() -> "tuple[bytes, list[str], tuple[int, ...], int]":
    door: socket.socket = globals()["door"]
    token, descriptors, _, _ = socket.recv_fds(door, 4096, 1)
    if not token or len(descriptors) != 1:
        sys.exit("the host did not hand over the door")
    return token, ["--listen-fd", str(descriptors[0])], tuple(descriptors), door.fileno()


def _read_standard_input() -> "tuple[bytes, list[str], tuple[int, ...], int]":
    token = b""
    while not token.endswith(b"\n"):
        part = os.read(0, 1)
        if not part:
            sys.exit("the host ended before it gave the token")
        token += part
    os.makedirs(os.path.dirname(GUEST_SOCKET), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120 - pathlib costs 8 ms
    lifeline = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    return token.strip(), ["--listen-unix", GUEST_SOCKET], (), lifeline


def _make_x_folder() -> None:
    """An X server that is not root makes its socket only where the folder for it is there."""
    with contextlib.suppress(FileExistsError):
        os.mkdir("/tmp/.X11-unix")  # noqa: PTH102, S108
        os.chmod("/tmp/.X11-unix", 0o1777)  # noqa: PTH101, S103, S108


def _wake_on_child() -> int:
    """Return a descriptor that becomes readable whenever a child has ended."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
    return reading


def _watch(child: int, lifeline: int, wakeup: int) -> int:
    """Collect whatever ends in here; return the child's exit code, or 0 when the host is gone."""
    while True:
        readable, _, _ = select.select([lifeline, wakeup], [], [])
        if wakeup in readable:
            os.read(wakeup, 4096)
            code = _collect(child)
            if code is not None:
                return code
        if lifeline in readable and not _still_there(lifeline):
            return 0


def _collect(child: int) -> "int | None":
    """Take leave of all that ended; return the exit code of `child` if it was among them."""
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == child:
                return os.waitstatus_to_exitcode(status) % 256
            if pid == 0:
                break
    return None


def _still_there(lifeline: int) -> bool:
    try:
        return bool(os.read(lifeline, 4096))
    except ConnectionError:
        return False


if __name__ == "__main__":
    main()
