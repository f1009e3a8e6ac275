"""HTTP to our guest in a machine of which no port but the stock server's can be reached: through that server.

Each request is one `/execute` of a small relay, so it is a tenth of a second slower than a connection, and no slower
than the stock server's own way of doing things.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import httpx

from pytest_rogue.desktops.guest_http import GuestHttp, NeverSent
from pytest_rogue.errors import DesktopLost, GuestFault

if TYPE_CHECKING:
    from pytest_rogue.desktops.stock_server import StockServer


class TunnelHttp(GuestHttp):
    """HTTP to the guest of one machine, through its stock server.

    Args:
        token: of the guest.
        server: of the machine.
        port: where the guest listens on the machine's own address.
    """

    def __init__(self, *, token: str, server: StockServer, port: int) -> None:
        self._client = httpx.Client(
            base_url="http://desktop",
            transport=_Tunnel(server, port),
            headers={"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"},
            trust_env=False,
        )


class _Tunnel(httpx.BaseTransport):
    def __init__(self, server: StockServer, port: int) -> None:
        self._server = server
        self._port = port

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        timeout = float(request.extensions["timeout"]["read"])
        asked = {
            "method": request.method,
            "target": request.url.raw_path.decode("ascii"),
            "headers": dict(request.headers) | {"connection": "close"},
            "port": self._port,
            "timeout": timeout,
        }
        try:
            answer = self._server.program("stock_relay.py", asked, timeout, request.read())
        except NeverSent as error:
            raise httpx.ConnectTimeout(str(error), request=request) from error
        except (DesktopLost, GuestFault) as error:
            # Whatever it was, the guest may have got the request.
            raise httpx.ReadError(str(error), request=request) from error
        if not answer.get("arrived", True):
            raise httpx.ConnectTimeout(f"our guest is gone: {answer.get('problem')}", request=request)
        if "status" not in answer:
            raise httpx.ReadError(str(answer.get("problem")), request=request)
        content = httpx.ByteStream(base64.b64decode(answer["content"]))
        return httpx.Response(answer["status"], stream=content, request=request)
