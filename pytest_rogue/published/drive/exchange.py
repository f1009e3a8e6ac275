"""Ask Google's servers, and say what their answers mean.

A question is put again where that can do no harm: it was refused for its rate, it never arrived, or it changes nothing.
Nothing is ever made twice.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx
import tenacity

from pytest_rogue import secrets
from pytest_rogue.errors import InfraError
from pytest_rogue.published.drive.faults import DriveBusy, DriveFileGone
from pytest_rogue.published.settings_file import SETUP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_rogue.published.drive.account import DriveAccount

LARGEST = 100_000_000
"""Bytes that an answer may have."""

_ATTEMPTS = 6
_LONGEST_WAIT = 60.0
_TOO_FAST = frozenset({"rateLimitExceeded", "userRateLimitExceeded"})
_REPEATABLE = frozenset({"GET", "DELETE", "PATCH"})
RENEW = "`pytest-rogue drive login` gets a new consent"


class DriveExchange:
    """Questions and answers, with an access token that is renewed when it has run out.

    Args:
        account: whose Drive it is.
    """

    def __init__(self, account: DriveAccount) -> None:
        self._account = account
        self._http = httpx.Client(timeout=httpx.Timeout(60.0, connect=10.0))
        self._token: secrets.Secret | None = None

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def ask(self, method: str, path: str, **request: Any) -> dict[str, Any]:
        """Send a request of httpx's form and return the JSON object that is answered, empty for none.

        Raises:
            InfraError: it was refused, or could not be had within some minutes; the message says why.
        """
        body = self.read(method, path, **request)
        if not body:
            return {}
        answer = _json(body)
        if answer is None:
            raise InfraError(f"Google Drive answered {method} {path} with something that is no JSON object")
        return answer

    def read(self, method: str, path: str, **request: Any) -> bytes:
        """Send a request and return the body that is answered, at most `LARGEST` bytes; raises as `ask` does."""
        attempts = tenacity.Retrying(
            retry=tenacity.retry_if_exception(_is_worth_another_try),
            stop=tenacity.stop_after_attempt(_ATTEMPTS),
            wait=_pause,
            reraise=True,
        )
        return attempts(self._attempt, method, path, request)

    def _attempt(self, method: str, path: str, request: Mapping[str, Any]) -> bytes:
        answer = self._send_authorized(method, path, request)
        if answer.status_code == 401:  # the token has run out, or was withdrawn: a new one tells
            self._token = None
            answer = self._send_authorized(method, path, request)
        return _body(answer, f"{method} {path}", repeatable=method in _REPEATABLE)

    def _send_authorized(self, method: str, path: str, request: Mapping[str, Any]) -> httpx.Response:
        if self._token is None:
            self._token = self._new_token()
        headers = {**request.get("headers", {}), "Authorization": f"Bearer {self._token.reveal()}"}
        url = f"{self._account.api}{path}"
        return self._send(method, url, repeatable=method in _REPEATABLE, **{**request, "headers": headers})

    def _new_token(self) -> secrets.Secret:
        account = self._account
        form = {
            "grant_type": "refresh_token",
            "client_id": account.client_id,
            "client_secret": account.client_secret.reveal(),
            "refresh_token": account.refresh_token.reveal(),
        }
        answer = self._send("POST", account.token_uri, repeatable=True, data=form)
        said = _json(answer.content) or {}
        if answer.status_code in (400, 401):
            reason = said.get("error_description") or said.get("error") or "no reason given"
            raise InfraError(f"the consent in {account.path} is no longer valid ({_shown(reason)}); {RENEW}")
        _body(answer, "the request for an access token", repeatable=True)
        token = said.get("access_token")
        if not isinstance(token, str) or len(token) < secrets.SHORTEST:
            raise InfraError(f"{account.token_uri} answered without an access token")
        known = secrets.Secret(token, "drive_access_token")
        secrets.register(known)
        return known

    def _send(self, method: str, url: str, *, repeatable: bool, **request: Any) -> httpx.Response:
        """Return the answer, read within its bound."""
        try:
            with self._http.stream(method, url, **request) as answer:
                read = bytearray()
                for piece in answer.iter_bytes():
                    read += piece
                    if len(read) > LARGEST:
                        raise InfraError(f"{url} answered with more than {LARGEST:,} bytes")
                return httpx.Response(answer.status_code, headers=_unpacked(answer.headers), content=bytes(read))
        except (httpx.TransportError, httpx.DecodingError) as error:
            lost = f"{httpx.URL(url).host} could not be asked: {_shown(str(error) or type(error).__name__)}"
            if repeatable or isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
                raise DriveBusy(lost) from None
            raise InfraError(f"{lost}; {method} may have been carried out, and was not sent again") from None


def _is_worth_another_try(error: BaseException) -> bool:
    return isinstance(error, DriveBusy) and (error.retry_after or 0.0) <= _LONGEST_WAIT


def _pause(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, DriveBusy) and error.retry_after is not None:
        return error.retry_after
    return tenacity.wait_random_exponential(multiplier=1, max=_LONGEST_WAIT)(state)


def _body(answer: httpx.Response, asked: str, *, repeatable: bool) -> bytes:
    status = answer.status_code
    if status < 300:
        return answer.content
    reason, message = _fault(answer)
    said = f"Google Drive answered {asked} with {status}: {_shown(message)}"
    too_fast = status == 429 or (status == 403 and reason in _TOO_FAST)
    if too_fast or (status >= 500 and repeatable):
        wait = _retry_after(answer)
        raise DriveBusy(said if wait is None else f"{said}; it asks to wait {wait:g} s", wait)
    if status == 404:
        raise DriveFileGone(said)
    if reason in {"accessNotConfigured", "SERVICE_DISABLED"}:
        raise InfraError(f"{said}; switch on the Google Drive API in the project of the client; {SETUP}")
    if status == 401 or reason in {"insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"}:
        raise InfraError(f"{said}; {RENEW}")
    raise InfraError(said)


def _fault(answer: httpx.Response) -> tuple[str, str]:
    error = (_json(answer.content) or {}).get("error")
    if not isinstance(error, dict):
        return "", answer.text[:200] or "nothing"
    listed = error.get("errors")
    first = listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], dict) else {}
    return str(first.get("reason", "")), str(error.get("message", ""))


def _retry_after(answer: httpx.Response) -> float | None:
    given = answer.headers.get("Retry-After", "")
    return float(given) if given.isdecimal() else None


def _json(body: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(body)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _unpacked(headers: httpx.Headers) -> httpx.Headers:
    """Return the headers without what says how the body was packed; it is unpacked already."""
    kept = headers.copy()
    for name in ("content-encoding", "content-length", "transfer-encoding"):
        kept.pop(name, None)
    return kept


def _shown(text: object) -> str:
    return secrets.printable(secrets.scrub(str(text))).strip()[:300]
