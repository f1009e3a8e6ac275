"""A web server on loopback that can fail in the ways in which servers fail."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.loopback import Loopback, QuietHandler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WHOLE = b"the whole file\n" * 1000


class Server:
    """What it does is told by the path: a list of answers, one for each request, the last one for ever.

    Attributes:
        url: of the server.
        asked: the paths of all requests.
    """

    def __init__(self, url: str, answers: dict[str, list[Callable[[Any], None]]]) -> None:
        self.url = url
        self.answers = answers
        self.asked: list[str] = []


def whole(handler: Any) -> None:
    """Answer with all of it."""
    _send(handler, 200, len(WHOLE), WHOLE)


def broken_off(handler: Any) -> None:
    """Promise all of it, and hang up in the middle."""
    _send(handler, 200, len(WHOLE), WHOLE[: len(WHOLE) // 2])


def too_long(handler: Any) -> None:
    """Send more than was promised."""
    _send(handler, 200, 10, WHOLE)


def without_length(handler: Any) -> None:
    """Send all of it, without saying how long it is."""
    _send(handler, 200, None, WHOLE)


def broken_server(handler: Any) -> None:
    """Fail."""
    _send(handler, 500, 5, b"sorry")


def crowded(handler: Any) -> None:
    """Have too much to do for now, and ask to come again at once."""
    _send(handler, 429, 4, b"busy", "0")


def crowded_for_long(handler: Any) -> None:
    """Have too much to do for an hour."""
    _send(handler, 503, 4, b"busy", "3600")


def crowded_for_ever(handler: Any) -> None:
    """Have too much to do, without a word of how long."""
    _send(handler, 429, 4, b"busy")


def not_there(handler: Any) -> None:
    """Have no such file."""
    _send(handler, 404, 4, b"none")


def slowly(handler: Any) -> None:
    """Take a moment, so that others come meanwhile."""
    time.sleep(0.3)
    whole(handler)


def elsewhere(handler: Any) -> None:
    """Send the client to another path."""
    handler.send_response(302)
    handler.send_header("Location", "/whole")
    handler.send_header("Content-Length", "0")
    handler.end_headers()


@contextmanager
def serving(**answers: list[Callable[[Any], None]]) -> Iterator[Server]:
    """Serve the paths; `/whole` is always there."""
    told: dict[str, list[Callable[[Any], None]]] = {"whole": [whole], **answers}

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            server.asked.append(self.path.strip("/"))
            given = server.answers[self.path.strip("/")]
            (given.pop(0) if len(given) > 1 else given[0])(self)

    with Loopback(Handler) as http:
        server = Server(http.root, told)
        yield server


def _send(handler: Any, status: int, length: int | None, body: bytes, retry_after: str = "") -> None:
    handler.send_response(status)
    if retry_after:
        handler.send_header("Retry-After", retry_after)
    if length is not None:
        handler.send_header("Content-Length", str(length))
    handler.end_headers()
    handler.wfile.write(body)
