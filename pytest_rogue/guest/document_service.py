"""The document service as a web server on the desktop's loopback interface."""

from __future__ import annotations

import contextlib
import secrets
import threading
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from .document_pages import Pages
from .document_store import LARGEST, DocumentStore, Refused
from .faults import GuestError
from .forms import read_form, read_upload
from .request import Request, Response

if TYPE_CHECKING:
    from collections.abc import Callable

COOKIE = "session"
_FORM_LIMIT = LARGEST + (64 << 10)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
_DONE = {"upload": "Uploaded", "rename": "Renamed", "delete": "Deleted", "share": "Shared"}


class DocumentService:
    """Serves one store until it is closed.

    Args:
        store: what is served.
        title: name of the service, in the title of every page.
        port: on 127.0.0.1; 0 for any that is free.

    Raises:
        OSError: the port is taken.
    """

    def __init__(self, store: DocumentStore, title: str, port: int) -> None:
        self.store = store
        self.pages = Pages(title)
        self.sessions: dict[str, str] = {}
        self._server = _Server(("127.0.0.1", port), self)
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, name="documents", daemon=True).start()

    def close(self) -> None:
        """End the service; may be called more than once."""
        self._server.shutdown()
        self._server.server_close()

    # --- what a browser asks --------------------

    def get(self, path: str, request: Request, account: str) -> Response:
        """Answer a page of one who is signed in."""
        store, folder, name = self.store, request.query.get("folder", ""), request.query.get("file", "")
        match path:
            case "/" | "/folders":
                shown = (store.folders_of(account), store.other_folders(account), store.shared(account))
                return _page(self.pages.folders(account, *shown))
            case "/folder":
                others = [other for other in store.accounts() if other != account]
                said = _DONE.get(request.query.get("done", ""), "")
                said = f"{said} {name}." if said else ""
                return _page(self.pages.folder(account, folder, store.files_in(account, folder), others, said))
            case "/file":
                return _page(self.pages.file(account, folder, name, store.read(account, folder, name)))
            case "/download":
                content = store.read(account, folder, name, how="download")
                headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
                return Response(content, "application/octet-stream", headers=headers)
        raise Refused("There is no such page.", 404)

    def post(self, path: str, request: Request, account: str) -> Response:
        """Do what a form of one who is signed in asks, and show the folder again."""
        folder, name = request.query.get("folder", ""), request.query.get("file", "")
        match path:
            case "/upload":
                name, content = read_upload(request, "file")
                self.store.upload(account, folder, name, content)
            case "/rename":
                new_name = _text(request, "new_name")
                self.store.rename(account, folder, name, new_name)
                name = new_name
            case "/share":
                self.store.share(account, folder, name, _text(request, "other"))
            case "/delete":
                self.store.delete(account, folder, name)
            case _:
                raise Refused("There is no such page.", 404)
        query = urlencode({"folder": folder, "file": name, "done": path.strip("/")})
        return _redirect(f"/folder?{query}")

    def sign_in(self, request: Request) -> Response:
        """Check account and password of the login form."""
        account = _text(request, "account").strip()
        if not self.store.log_in(account, _text(request, "password")):
            return _page(self.pages.login("The account or the password is wrong."), 403)
        token = secrets.token_urlsafe(24)
        self.sessions[token] = account
        return _redirect("/folders", {"Set-Cookie": f"{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/"})

    def sign_out(self, token: str) -> Response:
        """Forget a session."""
        self.sessions.pop(token, None)
        return _redirect("/login")


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], service: DocumentService) -> None:
        super().__init__(address, _Handler)
        self.service = service

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that hangs up harms nobody."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "documents"
    sys_version = ""
    timeout = 60
    server: _Server

    def log_message(self, *_: Any) -> None:
        """Log nothing but what the store notes."""

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def _get(self, path: str, request: Request, account: str) -> Response:
        service = self.server.service
        if not account:
            return _page(service.pages.login()) if path == "/login" else _redirect("/login")
        return service.get(path, request, account)

    def _post(self, path: str, request: Request, account: str) -> Response:
        service = self.server.service
        # A page of another origin must not act with the session that the browser holds.
        origin = self.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != self.headers.get("Host"):
            raise Refused("This form comes from another site.")
        if path == "/login":
            return service.sign_in(request)
        if not account:
            return _redirect("/login")
        if path == "/logout":
            return service.sign_out(self._token())
        return service.post(path, request, account)

    def _answer(self, decide: Callable[[str, Request, str], Response]) -> None:
        account = self.server.service.sessions.get(self._token(), "")
        parts = urlsplit(self.path)
        try:
            query = dict(parse_qsl(parts.query, keep_blank_values=True))
            request = Request(query, self.headers.get("Content-Type", ""), self._read_body())
            response = decide(parts.path, request, account)
        except (Refused, GuestError) as problem:
            response = _page(self.server.service.pages.problem(str(problem), account), problem.status)
        with contextlib.suppress(ConnectionError):
            self._send(response)

    def _token(self) -> str:
        try:
            cookie = SimpleCookie(self.headers.get("Cookie", ""))
        except CookieError:
            return ""
        return cookie[COOKIE].value if COOKIE in cookie else ""

    def _read_body(self) -> bytes:
        length = self.headers.get("Content-Length", "0")
        if self.headers.get("Transfer-Encoding") or not length.isdecimal():
            self.close_connection = True
            raise Refused("A form needs a length.", 400)
        if int(length) > _FORM_LIMIT:
            self.close_connection = True
            raise Refused(f"A file may have at most {LARGEST >> 20} MiB.", 413)
        return self.rfile.read(int(length))

    def _send(self, response: Response) -> None:
        self.send_response(response.status)
        headers = {
            "Content-Type": response.content_type,
            "Content-Length": str(len(response.body)),
            "Content-Security-Policy": _POLICY,
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
            **response.headers,
            **({"Connection": "close"} if self.close_connection else {}),
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(response.body)


def _text(request: Request, field: str) -> str:
    return read_form(request).get(field, b"").decode("utf-8", "replace")


def _page(html: str, status: int = 200) -> Response:
    return Response(html.encode("utf-8", "replace"), "text/html; charset=utf-8", status)


def _redirect(where: str, headers: dict[str, str] | None = None) -> Response:
    return Response(b"", "text/plain", 303, {"Location": where, **(headers or {})})
