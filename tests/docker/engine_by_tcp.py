"""A program that makes the engine of this machine reachable by TCP, as one of another machine is.

It says its port and forwards until the end of its input.
"""

from __future__ import annotations

import os
import socket
import sys
import threading

ENGINE = "/var/run/docker.sock"


def forward_all(listener: socket.socket) -> None:
    while True:
        here, _ = listener.accept()
        engine = socket.socket(socket.AF_UNIX)
        engine.connect(ENGINE)
        for source, target in ((here, engine), (engine, here)):
            threading.Thread(target=forward, args=(source, target), daemon=True).start()


def forward(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        target.close()


if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=forward_all, args=(listener,), daemon=True).start()
    sys.stdout.write(f"{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)
