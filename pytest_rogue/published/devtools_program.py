"""Speaks with the desktop's browser, from inside the desktop, over its DevTools protocol.

The text of this file is sent into the desktop, so it imports the standard library only and runs on Python 3.8. Standard
input is one request in JSON: the `ports` on which a browser may answer, the `target` to talk to (the id of a page,
`browser`, or empty to talk to none), and the `calls`, each a method with its parameters. Standard output is the answer:
the `port` that answered (null where none did), the `pages` that are open, the one in front first, and the `results`.
"""

from __future__ import annotations

import base64
import json
import os
import socket
import struct
import sys
import time
import urllib.request
from typing import Any

MOST = 1 << 24
"""Bytes that are read of anything."""

PATIENCE = 15.0
"""Seconds for one answer. A page in which a dialog waits for its user does not answer at all."""


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    for port in request["ports"]:
        pages = pages_at(port)
        if pages is None:
            continue
        answer = {"port": port, "pages": pages}
        if request["target"]:
            answer["results"] = talk(port, request["target"], request["calls"])
        json.dump(answer, sys.stdout)
        return
    json.dump({"port": None}, sys.stdout)


def pages_at(port: int) -> list[dict[str, str]] | None:
    """Return the open pages; None where no browser answers."""
    try:
        targets = _get(port, "list")
        return [{name: str(t[name]) for name in ("id", "url", "title")} for t in targets if t["type"] == "page"]
    except (OSError, ValueError, KeyError, TypeError):
        return None  # nobody there, or another program than a browser


def talk(port: int, target: str, calls: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Call methods of a page or of the browser, one after another; an answer has `result` or `error`."""
    try:
        path = f"/devtools/page/{target}"
        if target == "browser":
            path = "/" + _get(port, "version")["webSocketDebuggerUrl"].split("/", 3)[3]
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
            line = Line(connection, f"127.0.0.1:{port}", path)
            return [line.call(number, *call) for number, call in enumerate(calls, start=1)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [{"error": {"message": f"it did not answer: {error}"}}]


def _get(port: int, what: str) -> Any:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/{what}", timeout=PATIENCE) as answer:
        return json.loads(answer.read(MOST).decode("utf-8", "replace"))


class Line:
    """A WebSocket (RFC 6455) to one target."""

    def __init__(self, connection: socket.socket, host: str, path: str) -> None:
        self.connection = connection
        self.stream = connection.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        asked = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        connection.sendall(f"{asked}Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        status = self.stream.readline(1000)
        if b" 101 " not in status:
            raise ValueError(status.decode("latin-1").strip() or "the connection was closed")
        while self.stream.readline(10_000).strip():
            pass

    def call(self, number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Call one method and return the message that answers it; events meanwhile are passed over."""
        self.send(json.dumps({"id": number, "method": method, "params": params}).encode())
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            message = json.loads(self.receive())
            if message.get("id") == number:
                return dict(message)
        raise OSError("no answer in time")

    def send(self, data: bytes) -> None:
        """Send one text message; a client has to mask it."""
        size = len(data)
        head = b"\x81" + (struct.pack("!B", 0x80 | size) if size < 126 else struct.pack("!BQ", 0xFF, size))
        mask = os.urandom(4)
        self.connection.sendall(head + mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(data)))

    def receive(self) -> bytes:
        """Return one message, put together from its frames."""
        message = b""
        while True:
            first, size = struct.unpack("!BB", self.read(2))
            if size == 126:
                (size,) = struct.unpack("!H", self.read(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self.read(8))
            if len(message) + size > MOST:
                raise ValueError("a message of more than 16 MiB")
            data = self.read(size)
            if first & 0x0F in {0, 1, 2}:
                message += data
                if first & 0x80:
                    return message
            elif first & 0x0F == 8:
                raise OSError("the page was closed")

    def read(self, size: int) -> bytes:
        """Return exactly so many bytes."""
        data = self.stream.read(size)
        if len(data) != size:
            raise OSError("the connection was closed")
        return data


main()
