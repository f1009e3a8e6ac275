"""One HTTP exchange with a guest: bounded in time and size, sent at most once.

What makes the difference for the caller is whether the guest can have acted. `NeverSent` and `Refused` say that it
surely did not; every other fault leaves it open.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from json import dumps
from typing import TYPE_CHECKING

import httpx
import tenacity

from pytest_rogue.desktops.unix_socket import UnixTransport
from pytest_rogue.errors import DesktopLost, GuestFault

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_BODY = 96 * 1024 * 1024
"""Largest answer that is read, in bytes: a file of 64 MiB, or a step with an incompressible screenshot."""


class NeverSent(DesktopLost):
    """No connection came about, so the request did not reach the desktop."""


class Refused(GuestFault):
    """The guest answered 4xx: it did nothing. `status` is the HTTP status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Reply:
    """Status and body of an answer."""

    status: int
    body: bytes


@dataclass(frozen=True, slots=True)
class GuestAddress:
    """How a guest is reached from any process of this machine: see the arguments of `GuestHttp`."""

    token: str = field(repr=False)
    base_url: str
    uds: str | None


class GuestHttp:
    """HTTP connections to one guest; may be used by several threads.

    Args:
        token: sent with every request.
        base_url: scheme, host and port; the host is a mere name where `uds` is given.
        uds: path of a UNIX socket, or a name in the abstract namespace (begins with a NUL character).
    """

    address: GuestAddress | None = None
    """None where only this process reaches it."""

    def __init__(self, *, token: str, base_url: str, uds: str | None) -> None:
        self.address = GuestAddress(token, base_url, uds)
        self._client = httpx.Client(
            base_url=base_url,
            transport=httpx.HTTPTransport() if uds is None else UnixTransport(uds),
            headers={"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"},
            trust_env=False,
        )

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def exchange(
        self,
        method: str,
        path: str,
        *,
        timeout: float,
        params: Mapping[str, str] | None = None,
        json: object = None,
        content: bytes | None = None,
        form: Mapping[str, str | bytes] | None = None,
    ) -> Reply:
        """Send one request and read its answer, whatever its status.

        Args:
            method: of HTTP.
            path: from the root.
            timeout: seconds until the whole answer must be there.
            params: query.
            json: body, or None.
            content: body as bytes, or None.
            form: body as a form, or None; a text is a field of it, bytes are an uploaded file.

        Raises:
            NeverSent: the connection was refused, or `close` was called.
            DesktopLost: the answer was lost or is late; the guest may have acted.
            GuestFault: the answer is larger than `MAX_BODY`.
        """
        what = f"{method} {path}"
        if self._client.is_closed:
            raise NeverSent(f"the desktop has been stopped, so {what} was not sent")
        headers = {}
        if json is not None:
            # In ASCII: a model may write half a surrogate pair, which UTF-8 cannot carry.
            content, headers = dumps(json).encode("ascii"), {"Content-Type": "application/json"}
        request = self._client.build_request(
            method,
            path,
            params=params,
            content=content,
            files=_fields(form) if form is not None else None,
            headers=headers,
            timeout=httpx.Timeout(timeout, connect=5.0),
        )
        try:
            return self._send(request, what, timeout)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise NeverSent(f"the desktop does not accept connections ({what}: {error})") from error
        except httpx.TimeoutException as error:
            raise DesktopLost(f"the desktop did not answer {what} within {timeout:g} s") from error
        except httpx.TransportError as error:
            raise DesktopLost(f"the desktop broke the connection during {what} ({error})") from error

    @tenacity.retry(
        retry=tenacity.retry_if_exception_type(httpx.ConnectError),
        stop=tenacity.stop_after_attempt(3),
        wait=tenacity.wait_fixed(0.05),
        reraise=True,
    )
    def _send(self, request: httpx.Request, what: str, timeout: float) -> Reply:
        """Send; only a refused connection is tried again, since then nothing has been sent."""
        deadline = time.monotonic() + timeout
        response = self._client.send(request, stream=True)
        try:
            body = bytearray()
            for part in response.iter_raw():
                body += part
                if len(body) > MAX_BODY:
                    raise GuestFault(f"the guest's answer to {what} is larger than {MAX_BODY:,} bytes")
                if time.monotonic() > deadline:
                    raise DesktopLost(f"the desktop did not finish its answer to {what} within {timeout:g} s")
            return Reply(response.status_code, bytes(body))
        finally:
            response.close()


def _fields(form: Mapping[str, str | bytes]) -> dict[str, tuple[str | None, str | bytes]]:
    return {name: ("file" if isinstance(value, bytes) else None, value) for name, value in form.items()}
