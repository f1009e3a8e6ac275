"""A stand-in for AWS: moto's server in a process of its own, with what it leaves out and faults on demand.

`python aws_cloud.py` prints its port. Of what AWS does and moto does not, it adds: the two public images, one instance
for each `ClientToken`, prices, and sessions of Systems Manager.

`POST /stand-in` sets faults by action (`RunInstances`, `CreateSchedule`), each a list of what the next answers are: a
code of AWS's, `lost` (done, and the connection broken), `dies` (done, and then every instance ends), or empty.
`POST /stand-in/end` takes `{"state", "code", "message"}` and lets every instance end so. `GET /stand-in` returns how
often each action was asked for. `POST /moto-api/reset` forgets everything.
"""

from __future__ import annotations

import io
import json
import os
import re
import socket
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

IMAGES = {"us-east-1": "ami-0d23263edb96951d8", "ap-east-1": "ami-06850864d18fad836"}
ACCOUNT = "123456789012"
HOURLY = {"m6i.xlarge": "0.1920000000"}

_SERVICE = re.compile(r"/\d{8}/([a-z0-9-]+)/([a-z0-9-]+)/aws4_request")


def image(id: str, **more: Any) -> dict[str, Any]:  # noqa: A002
    return {
        "ami_id": id,
        "state": "available",
        "public": True,
        "owner_id": ACCOUNT,
        "image_type": "machine",
        "image_location": "stand-in",
        "name": "a public image",
        "architecture": "x86_64",
        "virtualization_type": "hvm",
        "hypervisor": "xen",
        "root_device_name": "/dev/sda1",
        "root_device_type": "ebs",
        "sriov": "simple",
        "description": "",
        "platform": None,
        "creation_date": "2025-07-19T00:00:00.000Z",
    } | more


class Cloud:
    """The WSGI application."""

    def __init__(self, moto: Callable[..., Iterable[bytes]]) -> None:
        self._moto = moto
        self._faults: dict[str, list[str]] = {}
        self._asked: Counter[str] = Counter()
        self._made: dict[str, tuple[str, list[tuple[str, str]], bytes]] = {}

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        path = environ["PATH_INFO"]
        if path.startswith("/stand-in"):
            return _json(start, self._control(path, environ["REQUEST_METHOD"], body))
        if path == "/moto-api/reset":
            self._faults, self._made = {}, {}
            self._asked.clear()
            return self._moto(environ, start)
        return self._serve(environ, start, body)

    def _control(self, path: str, method: str, body: bytes) -> Any:
        if path == "/stand-in/end":
            _end_instances(**json.loads(body))
        elif method == "POST":
            self._faults = json.loads(body)
        return dict(self._asked)

    def _serve(self, environ: dict[str, Any], start: Callable[..., Any], body: bytes) -> Iterable[bytes]:
        form = {key: values[0] for key, values in parse_qs(body.decode(errors="replace")).items()}
        signed = _SERVICE.search(environ.get("HTTP_AUTHORIZATION", ""))
        service = signed.group(2) if signed else ""
        target = environ.get("HTTP_X_AMZ_TARGET", "").rpartition(".")[2]
        action = form.get("Action") or target or f"{service}:{environ['REQUEST_METHOD']}"
        action = {"scheduler:POST": "CreateSchedule", "scheduler:DELETE": "DeleteSchedule"}.get(action, action)
        self._asked[action] += 1
        waiting = self._faults.get(action, [])
        fault = waiting.pop(0) if waiting else ""
        if fault not in ("", "lost", "dies"):
            return _refusal(start, service, fault)
        answered = self._own(service, action, form) or self._pass_on(environ)
        status, headers, content = answered
        if fault == "lost":
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
            raise ConnectionAbortedError
        if fault == "dies":
            _end_instances("terminated", "Server.InternalError", "it broke")
        start(status, headers)
        return [content]

    def _own(self, service: str, action: str, form: dict[str, str]) -> tuple[str, list[tuple[str, str]], bytes] | None:
        """Answer what moto does not know, or knows otherwise."""
        token = form.get("ClientToken", "")
        if action == "RunInstances" and token in self._made:
            return self._made[token]
        if service == "pricing":
            return "200 OK", [], json.dumps({"PriceList": [_product(HOURLY["m6i.xlarge"])]}).encode()
        if action == "StartSession":
            session = {"SessionId": "s-1", "TokenValue": "token-of-the-session", "StreamUrl": "wss://stream"}
            return "200 OK", [], json.dumps(session).encode()
        return None

    def _pass_on(self, environ: dict[str, Any]) -> tuple[str, list[tuple[str, str]], bytes]:
        started: list[Any] = []
        content = b"".join(self._moto(environ, lambda status, headers, _=None: started.extend((status, headers))))
        answer = (started[0], started[1], content)
        environ["wsgi.input"].seek(0)
        token = parse_qs(environ["wsgi.input"].read().decode(errors="replace")).get("ClientToken", [""])[0]
        if token and started[0].startswith("200"):
            self._made[token] = answer
        return answer


def _refusal(start: Callable[..., Any], service: str, code: str) -> Iterable[bytes]:
    message = f"{code} by the stand-in"
    status = "503 Service Unavailable" if code == "RequestLimitExceeded" else "400 Bad Request"
    if service in ("ec2", "sts"):
        error = f"<Error><Code>{code}</Code><Message>{message}</Message></Error>"
        text = f"<Response><Errors>{error}</Errors><RequestID>r</RequestID></Response>"
        if service == "sts":
            text = f"<ErrorResponse>{error}<RequestId>r</RequestId></ErrorResponse>"
        start(status, [("Content-Type", "text/xml")])
        return [text.encode()]
    start(status, [("Content-Type", "application/json"), ("x-amzn-ErrorType", code)])
    return [json.dumps({"Message": message, "message": message, "__type": code}).encode()]


def _json(start: Callable[..., Any], answer: Any) -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(answer).encode()]


def _product(price: str) -> str:
    dimension = {"unit": "Hrs", "pricePerUnit": {"USD": price}}
    return json.dumps({"terms": {"OnDemand": {"t": {"priceDimensions": {"d": dimension}}}}})


def _end_instances(state: str, code: str = "", message: str = "") -> None:
    """Let every instance that runs end so."""
    from moto.ec2.models import ec2_backends
    from moto.ec2.models.instances import StateReason

    numbers = {"stopping": 64, "stopped": 80, "shutting-down": 32, "terminated": 48}
    for backend in ec2_backends[ACCOUNT].values():
        for found in (one for reservation in backend.reservations.values() for one in reservation.instances):
            if found._state.name == "running":
                found._state.name, found._state.code = state, numbers[state]
                found.state_reason = StateReason(f"{code}: {message}", code)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        images = Path(folder) / "images.json"
        others = [image("ami-00000000000000bad", state="pending", name="not ready")]
        images.write_text(json.dumps([*(image(id) for id in IMAGES.values()), *others]))  # noqa: A001
        os.environ["MOTO_AMIS_PATH"] = str(images)
        from moto.server import DomainDispatcherApplication, create_backend_app
        from werkzeug.serving import make_server

        app = DomainDispatcherApplication(create_backend_app)
        server = make_server("127.0.0.1", 0, Cloud(app), threaded=True)
        sys.stdout.write(f"{server.server_port}\n")
        sys.stdout.flush()
        server.serve_forever()


if __name__ == "__main__":
    main()
