"""A guest that speaks the protocol over real HTTP and misbehaves on demand."""

from __future__ import annotations

import base64
import io
import json
import threading
from collections import defaultdict, deque
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from PIL import Image

Fault = Callable[["Handler"], None]

TOKEN = "the token of this test"


def png(colour: str = "steelblue", size: tuple[int, int] = (1920, 1080)) -> bytes:
    """Return a picture in one colour."""
    stream = io.BytesIO()
    Image.new("RGB", size, colour).save(stream, "PNG")
    return stream.getvalue()


def step_answer(**changes: Any) -> dict[str, Any]:
    """Return a flawless answer to a step, but for `changes`."""
    answer = {
        "result": {"stdout": "", "stderr": "", "exit_code": 0, "timed_out": False, "seconds": 0.01, "note": ""},
        "settled": True,
        "screenshot": base64.b64encode(png(size=(64, 48))).decode(),
        "a11y": None,
        "a11y_problem": "",
        "obstacle": {"armed": False, "fired": False, "visible": False, "answer": None}
        | {"appeared_step": None, "answered_step": None, "windows": []},
        "screen": [64, 48],
        "clock": 12.5,
    }
    return answer | changes


def answers(status: int, body: bytes | dict[str, Any]) -> Fault:
    """Answer with this status and body."""
    return lambda handler: handler.answer(status, body)


def closes_the_connection(handler: Handler) -> None:
    """Say nothing and hang up."""
    handler.close_connection = True


def hangs(handler: Handler) -> None:
    """Say nothing until the test is over."""
    handler.guest.over.wait(60)
    handler.close_connection = True


def cuts_the_body(handler: Handler) -> None:
    """Announce more than is sent."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.close_connection = True


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    guest: FaultyGuest

    def answer(self, status: int, body: bytes | dict[str, Any]) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def handle_any(self) -> None:
        path = urlsplit(self.path).path.removeprefix("/rogue/v1/")
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.guest.requests.append((self.command, path, body))
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self.answer(401, {"error": {"kind": "token", "message": "wrong token"}})
            return
        self.guest.act(path, body)
        faults = self.guest.faults[path]
        if faults:
            faults.popleft()(self)
        elif path == "step":
            self.answer(200, step_answer() if json.loads(body)["action"] else step_answer(result=None))
        elif path in self.guest.good:
            self.answer(200, self.guest.good[path])
        else:
            self.answer(404, {"error": {"kind": "no_such_path", "message": self.path}})

    do_GET = do_POST = do_PUT = handle_any  # noqa: N815 - the library's names

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """Be quiet."""


class FaultyGuest:
    """The server, what it was asked, and how it is to misbehave."""

    def __init__(self) -> None:
        self.faults: defaultdict[str, deque[Fault]] = defaultdict(deque)
        """By path: what happens to the next requests, in order."""
        self.good: dict[str, dict[str, Any] | bytes] = {}
        """By path: the answer when nothing goes wrong."""
        self.requests: list[tuple[str, str, bytes]] = []
        self.executed: list[str] = []
        self.over = threading.Event()
        handler = type("BoundHandler", (Handler,), {"guest": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def act(self, path: str, body: bytes) -> None:
        """Do what is asked, as a stock guest does, before anything goes wrong with the answer."""
        if path == "step" and (action := json.loads(body)["action"]):
            self.executed.append(action.get("code", action["kind"]))
        elif path in ("run", "launch"):
            self.executed.append(" ".join(json.loads(body)["command"]))
        elif path == "file" and body:
            self.executed.append("write")

    def close(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
