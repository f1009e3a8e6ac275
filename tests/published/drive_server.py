"""A stand-in for Google Drive and its token endpoint, in a process of its own that keeps files and folders.

`python -m tests.published.drive_server` prints its port. `GET /stand-in` returns all files with their content and the
requests so far; `POST /stand-in` takes any of

    files     to add: {"name", "parents", "mimeType", "text", "ownedByMe", "trashed"}
    answers   of the next requests to the Drive: {"status", "reason", "retry_after"}, "lost" (done, and the connection
              broken), "unpacked" (not JSON), or null for a proper one
    refuse    what the token endpoint answers from now on, such as "invalid_grant"; empty for tokens
    deny      true: the owner, asked at `/consent`, does not consent
    expire    true: no access token that was given is good any more
"""

from __future__ import annotations

import itertools
import json
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.published.drive_queries import BadQueryError, compiled

OWNER = "rogue.tests@example.org"
REFRESH_TOKEN = "1//refresh-token-of-the-stand-in"


class Drive:
    def __init__(self) -> None:
        self.files: dict[str, dict[str, Any]] = {}
        self.numbers = itertools.count(1)
        self.answers: list[Any] = []
        self.refuse = ""
        self.deny = False
        self.tokens: list[str] = []
        self.requests: list[str] = []

    def add(self, described: dict[str, Any]) -> dict[str, Any]:
        number = next(self.numbers)
        plain = {"mimeType": "text/plain", "text": "", "ownedByMe": True, "trashed": False, "parents": ["root"]}
        self.files[f"id{number}"] = file = {**plain, **described, "id": f"id{number}", "modified": number}
        return file

    def remove(self, id: str) -> None:  # noqa: A002
        del self.files[id]
        for inside in [file["id"] for file in self.files.values() if id in file["parents"]]:
            self.remove(inside)

    def listed(self, asked: dict[str, str]) -> dict[str, Any]:
        test = compiled(asked["q"])
        found = sorted(filter(test, self.files.values()), key=lambda file: -file["modified"])
        start, size = int(asked.get("pageToken", 0)), min(int(asked["pageSize"]), 2)  # pages may be shorter
        more = {"nextPageToken": str(start + size)} if start + size < len(found) else {}
        shown = [{key: file[key] for key in ("id", "name", "mimeType", "ownedByMe")} for file in found]
        return {"files": shown[start : start + size], **more}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    drive = Drive()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def do_GET(self) -> None:
        self.handle_one()

    do_POST = do_DELETE = do_PATCH = do_GET  # noqa: N815

    def handle_one(self) -> None:
        url = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if url.path == "/stand-in":
            self.answer(200, self.told(json.loads(body)) if body else self.state())
        elif url.path == "/consent":
            self.consent({key: value[0] for key, value in parse_qs(url.query).items()})
        elif url.path == "/token":
            self.answer(*self.token({key: value[0] for key, value in parse_qs(body.decode()).items()}))
        else:
            asked = {key: value[0] for key, value in parse_qs(url.query).items()}
            self.drive.requests.append(f"{self.command} {url.path}")
            self.api(url.path, asked, body)

    def api(self, path: str, asked: dict[str, str], body: bytes) -> None:
        wanted = self.drive.answers.pop(0) if self.drive.answers else None
        if self.headers.get("Authorization", "").removeprefix("Bearer ") not in self.drive.tokens:
            self.fault(401, "authError")
        elif isinstance(wanted, dict):
            self.fault(wanted["status"], wanted.get("reason", ""), wanted.get("retry_after"))
        elif wanted == "unpacked":
            self.answer(200, b"<html>")
        else:
            try:
                status, answer = self.done(path, asked, body)
            except BadQueryError as error:
                self.fault(400, f"invalid query: {error}")
            except KeyError:
                self.fault(404, "notFound")
            else:
                if wanted == "lost":
                    self.close_connection = True
                else:
                    self.answer(status, answer)

    def done(self, path: str, asked: dict[str, str], body: bytes) -> tuple[int, Any]:
        drive = self.drive
        if path == "/upload/drive/v3/files":
            head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
            _, described, content = message_from_bytes(head + body).walk()
            text = bytes(content.get_payload(decode=True)).decode("latin-1")
            file = {**json.loads(str(described.get_payload())), "mimeType": content.get_content_type(), "text": text}
            return 200, drive.add(file)
        if path == "/drive/v3/about":
            return 200, {"user": {"emailAddress": OWNER}}
        if path == "/drive/v3/files":
            return 200, drive.listed(asked) if self.command == "GET" else drive.add(json.loads(body))
        file = drive.files[path.split("/")[4]]
        if self.command == "DELETE":
            drive.remove(file["id"])
            return 204, b""
        if self.command == "PATCH":
            file.update(json.loads(body))
            return 200, file
        text = f"{file['text']} as {asked['mimeType']}" if path.endswith("/export") else file["text"]
        return 200, text.encode("latin-1")

    def token(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        if self.drive.refuse:
            return 400, {"error": self.drive.refuse, "error_description": "Token has been expired or revoked."}
        if form.get("grant_type") == "refresh_token" and form.get("refresh_token") != REFRESH_TOKEN:
            return 400, {"error": "invalid_grant"}
        if form.get("grant_type") == "authorization_code" and form.get("code") != "consented":
            return 400, {"error": "invalid_grant"}
        self.drive.tokens.append(f"ya29.access-token-{len(self.drive.tokens)}")
        renewable = {"refresh_token": REFRESH_TOKEN} if form["grant_type"] == "authorization_code" else {}
        return 200, renewable | {"access_token": self.drive.tokens[-1], "expires_in": 3599, "token_type": "Bearer"}

    def consent(self, asked: dict[str, str]) -> None:
        """Send the browser back to whoever asks, as Google does when the owner has decided."""
        answer = {"error": "access_denied"} if self.drive.deny else {"code": "consented"}
        self.answer(302, b"", {"Location": f"{asked['redirect_uri']}?{urlencode({**answer, 'state': asked['state']})}"})

    def told(self, said: dict[str, Any]) -> dict[str, Any]:
        added = [self.drive.add(file)["id"] for file in said.get("files", ())]
        self.drive.answers += said.get("answers", ())
        self.drive.deny = said.get("deny", self.drive.deny)
        self.drive.refuse = said.get("refuse", self.drive.refuse)
        if said.get("expire"):
            self.drive.tokens = ["no longer good"] * len(self.drive.tokens)
        return {"added": added}

    def state(self) -> dict[str, Any]:
        return {"files": list(self.drive.files.values()), "requests": self.drive.requests}

    def fault(self, status: int, reason: str, retry_after: int | None = None) -> None:
        error = {"code": status, "message": f"told to: {reason}", "errors": [{"reason": reason}]}
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        self.answer(status, {"error": error}, headers)

    def answer(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)  # noqa: T201
    server.serve_forever()
