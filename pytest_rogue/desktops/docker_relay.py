"""Copies bytes between its standard streams and the guest's socket, inside a container.

The text of this file is the first line of its input (see `docker_entry.READ_A_LINE`). One blank tells the host that
the guest has taken the connection; what comes after it is the guest's.
"""

import os
import select
import socket
import sys
import time

WAIT = 10.0
"""Seconds in which a guest that is just starting may begin to listen."""


def main() -> None:
    """Copy until one side has closed."""
    guest = _connect(sys.argv[1])
    os.write(1, b" ")
    while True:
        readable, _, _ = select.select([0, guest.fileno()], [], [])
        if 0 in readable:
            data = os.read(0, 65536)
            if not data:
                return
            guest.sendall(data)
        if guest.fileno() in readable:
            data = guest.recv(65536)
            if not data:
                return
            _write_all(data)


def _connect(path: str) -> socket.socket:
    guest = socket.socket(socket.AF_UNIX)
    deadline = time.monotonic() + WAIT
    while True:
        try:
            guest.connect(path)
        except (FileNotFoundError, ConnectionRefusedError):
            if time.monotonic() > deadline:
                sys.exit("no guest is listening")
            time.sleep(0.005)
        else:
            return guest


def _write_all(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


if __name__ == "__main__":
    main()
