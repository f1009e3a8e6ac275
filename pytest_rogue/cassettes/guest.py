"""The seam between an episode and its desktop: requests of the guest protocol go through a deck."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from pytest_rogue.desktops.guest_http import GuestHttp, NeverSent, Reply
from pytest_rogue.errors import CassetteError, DesktopLost, GuestFault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rogue.cassettes.deck import Data, Deck
    from pytest_rogue.desktops.guest_http import GuestAddress

_FAILURES: Mapping[str, type[Exception]] = {kind.__name__: kind for kind in (NeverSent, DesktopLost, GuestFault)}
"""What an exchange raises. The class says whether the guest can have acted, so it is kept."""


class TapedHttp(GuestHttp):
    """Exchanges with a guest through a deck.

    Args:
        deck: of the episode.
        http: connections to the guest; it is closed with this.
    """

    address: GuestAddress | None = None

    def __init__(self, deck: Deck, http: GuestHttp) -> None:
        self._deck = deck
        self._http = http
        self.address = http.address

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def exchange(self, method: str, path: str, *, timeout: float, **body: Any) -> Reply:
        """Do what `GuestHttp.exchange` does; how long it may take is no part of the request."""
        request = {"method": method, "path": path} | {name: value for name, value in body.items() if value is not None}

        def live() -> Data:
            try:
                reply = self._http.exchange(method, path, timeout=timeout, **body)
            except (DesktopLost, GuestFault) as error:
                return {"raised": type(error).__name__, "message": str(error)}
            return {"status": reply.status, "body": _opened(reply.body)}

        answer = self._deck.exchange("guest", request, live)
        if "raised" in answer:
            raise _FAILURES[answer["raised"]](answer["message"])
        return Reply(answer["status"], _closed(answer["body"]))


class NoHttp(GuestHttp):
    """Connections to a desktop that is not there."""

    def __init__(self) -> None:
        """Connect to nothing."""

    def close(self) -> None:
        """Do nothing."""

    def exchange(self, method: str, path: str, **_request: Any) -> Reply:
        """Say that there is no desktop."""
        raise CassetteError(
            f"{method} {path} was asked of a desktop that is only a recording; --rogue-cassette=replay says which one"
        )


def _opened(body: bytes) -> Any:
    """Return the body of an answer as a person reads it: JSON as such, and the picture in it as bytes."""
    try:
        data = json.loads(body)
    except ValueError:
        return body
    if not isinstance(data, dict):
        return body
    picture = data.get("screenshot")
    if isinstance(picture, str):
        data["screenshot"] = base64.b64decode(picture)
    return {"json": data}


def _closed(opened: Any) -> bytes:
    """Inverse of `_opened`, but for blanks."""
    if isinstance(opened, bytes):
        return opened
    data = dict(opened["json"])
    picture = data.get("screenshot")
    if isinstance(picture, bytes):
        data["screenshot"] = base64.b64encode(picture).decode("ascii")
    return json.dumps(data).encode("ascii")
